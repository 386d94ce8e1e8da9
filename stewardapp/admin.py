"""Administration of people and projects. Every save goes through an action; nothing here shows data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from allauth.account.decorators import secure_admin_login
from django import forms
from django.contrib import admin, messages
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from stewardapp.access.verdict import Refused
from stewardapp.actions import accounts, memberships, projects
from stewardapp.models import Membership, Project, User

if TYPE_CHECKING:
    from django.forms import ModelForm

    UserForm = ModelForm[User]
    RoleForm = ModelForm[Membership]
    Administration = admin.ModelAdmin[Any]
else:  # these classes take no parameters when the program runs
    UserForm = RoleForm = forms.ModelForm
    Administration = admin.ModelAdmin

admin.site.site_header = admin.site.site_title = "People and projects"
admin.site.index_title = "Administration"
# One way in for everybody: throttled, with the second factor. The administration's own knows neither.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


class NewAccountForm(UserForm):
    """What a new account needs."""

    password = forms.CharField(widget=forms.PasswordInput, help_text="The first password; tell it in person.")

    class Meta:
        model = User
        fields = ("username", "first_name", "last_name", "email", "is_staff")


class ThroughActions(Administration):
    """Admins see and add; changes are actions; nothing is deleted here unless an action does it."""

    actions = None

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self._is_admin(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return self._is_admin(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self._is_admin(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return self._is_admin(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return False

    @staticmethod
    def _is_admin(request: HttpRequest) -> bool:
        return isinstance(request.user, User) and request.user.is_admin

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show a refusal of an action as a message on the same page."""
        try:
            return super().changeform_view(request, *args, **kwargs)
        except Refused as refusal:
            messages.error(request, refusal.reason)
            return redirect(request.get_full_path())

    def delete_model(self, request: HttpRequest, obj: models.Model) -> None:
        """Refused unless an admin class knows the action for it."""
        raise NotImplementedError

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> NoReturn:
        """Refused: one at a time, each with its audit event."""
        raise NotImplementedError


@admin.register(User)
class UserAdmin(ThroughActions):
    """Accounts: make, correct, shut out, let in."""

    list_display = ("username", "first_name", "last_name", "email", "is_staff", "is_active", "last_login")
    list_filter = ("is_staff", "is_active")
    search_fields = ("username", "first_name", "last_name", "email")
    fields = ("username", "first_name", "last_name", "email", "is_staff", "is_active")

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """A new account asks for a password."""
        if obj is None:
            kwargs |= {"form": NewAccountForm, "fields": None}
        return super().get_form(request, obj, change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new account is active and has a password."""
        if obj is None:
            return ("username", "password", "first_name", "last_name", "email", "is_staff")
        return super().get_fields(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ARG002
        """A name stays, because the log refers to it."""
        return () if obj is None else ("username",)

    def save_model(self, request: HttpRequest, obj: User, form: ModelForm[User], change: bool) -> None:
        """Through the actions."""
        said = form.cleaned_data
        by = _admin(request)
        names = {name: said[name] for name in ("email", "first_name", "last_name")}
        if not change:
            made = accounts.create(
                username=said["username"],
                password=said["password"],
                is_admin=said["is_staff"],
                by=by,
                **names,
            )
            obj.pk = made.pk
            return
        if "is_active" in form.changed_data:
            (accounts.reactivate if said["is_active"] else accounts.deactivate)(user=obj, by=by)
        if set(form.changed_data) - {"is_active"}:
            accounts.change(user=obj, is_admin=said["is_staff"], by=by, **names)


@admin.register(Project)
class ProjectAdmin(ThroughActions):
    """Projects: found, rename."""

    list_display = ("name", "created_at")
    search_fields = ("name",)
    fields = ("name", "description")

    def save_model(self, request: HttpRequest, obj: Project, form: ModelForm[Project], change: bool) -> None:
        """Through the actions."""
        said = {"name": form.cleaned_data["name"], "description": form.cleaned_data["description"]}
        if change:
            projects.rename(project=obj, by=_admin(request), **said)
        else:
            obj.pk = projects.create(by=_admin(request), **said).pk


class MembershipForm(RoleForm):
    """A role to choose."""

    role = forms.ChoiceField(choices=[(role, role) for role in ("steward", "reviewer", "analyst")])

    class Meta:
        model = Membership
        fields = ("project", "user", "role")


@admin.register(Membership)
class MembershipAdmin(ThroughActions):
    """Roles: give, take back."""

    form = MembershipForm
    list_display = ("project", "user", "role", "created_at")
    list_filter = ("role", "project")
    list_select_related = ("project", "user")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """A role is taken back and another given."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Taking back is an action."""
        return self._is_admin(request)

    def save_model(
        self,
        request: HttpRequest,
        obj: Membership,
        form: ModelForm[Membership],
        change: bool,  # noqa: ARG002
    ) -> None:
        """Through the action."""
        said = form.cleaned_data
        made = memberships.add(
            project=said["project"], user=said["user"], role=said["role"], by=_admin(request)
        )
        obj.pk = made.pk

    def delete_model(self, request: HttpRequest, obj: models.Model) -> None:
        """Through the action."""
        assert isinstance(obj, Membership)
        memberships.remove(membership=obj, by=_admin(request))


def _admin(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # has_…_permission has seen to it
    return request.user
