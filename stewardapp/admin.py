"""Administration of people and projects. Every save goes through an action; nothing here shows data.

The site is ours, not the one that libraries register with: nothing is administered, looked up or signed in
to here that this file does not say.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, include, path

from stewardapp.access.verdict import Refused
from stewardapp.actions import accounts, memberships, officers, projects
from stewardapp.models import Membership, Project, User
from stewardapp.views.accounts import link_to_choose_password

if TYPE_CHECKING:
    from django.forms import ModelForm

    UserForm = ModelForm[User]
    RoleForm = ModelForm[Membership]
    Administration = admin.ModelAdmin[Any]
else:  # these classes take no parameters when the program runs
    UserForm = RoleForm = forms.ModelForm
    Administration = admin.ModelAdmin


LOST = ("replace_password", "remove_second_factor")


class AdministrationSite(admin.AdminSite):
    """The pages of this file and no others: people sign in, sign out and change passwords where all do."""

    site_header = site_title = "People and projects"
    index_title = "Administration"

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Take only what saves through actions and refuses lookups."""
        if not (isinstance(admin_class, type) and issubclass(admin_class, ThroughActions)):
            raise ImproperlyConfigured("what is administered here has to go through actions")
        super().register(model_or_iterable, admin_class, **options)

    def has_permission(self, request: HttpRequest) -> bool:
        """Administrators only."""
        return _is_admin(request)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Refuse whoever is no administrator; strangers were sent to the one sign-in before that."""
        guarded = super().admin_view(view, cacheable)

        @wraps(guarded)
        def refused_or_shown(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if not self.has_permission(request):
                raise PermissionDenied
            return guarded(request, *args, **kwargs)

        return refused_or_shown

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """All addresses there are: none of Django's own for accounts, for jumping and for guessing names."""
        found: list[URLPattern | URLResolver] = [
            path("", self.admin_view(self.index), name="index"),
            path("jsi18n/", self.admin_view(self.i18n_javascript, cacheable=True), name="jsi18n"),
        ]
        for model, model_admin in self._registry.items():
            found.append(
                path(f"{model._meta.app_label}/{model._meta.model_name}/", include(model_admin.urls))
            )
        for label in {model._meta.app_label for model in self._registry}:
            listed, given = self.admin_view(self.app_index), {"app_label": label}
            found.append(path(f"{label}/", listed, given, name="app_list"))
        return found


site = AdministrationSite()


class NewAccountForm(UserForm):
    """What a new account needs; its owner chooses a password by a link."""

    class Meta:
        model = User
        fields = ("username", "first_name", "last_name", "email", "is_staff")


class KnownAccountForm(UserForm):
    """What is corrected about an account, and what is replaced when it was lost."""

    replace_password = forms.BooleanField(
        required=False,
        help_text="Only when it was lost, or somebody else knows it. It ends every session of this person "
        "and makes a link to choose another. Every administrator is told, and so is the person.",
    )
    remove_second_factor = forms.BooleanField(
        required=False, help_text="Only when it was lost. Every administrator is told, and so is the person."
    )

    class Meta:
        model = User
        fields = ("username", "first_name", "last_name", "email", "is_staff", "is_active")


class ThroughActions(Administration):
    """Admins see and add; changes are actions; nothing is deleted here unless an action does it.

    A list is narrowed by the lookups it names and by no others: the answer to any other, even if it shows no
    row, would tell what a column holds that nobody is shown.
    """

    actions = None
    lookups: tuple[str, ...] = ()
    show_facets = admin.ShowFacets.NEVER

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:  # noqa: ARG002
        """Only what the class lists; Django would let through every field of its own."""
        return lookup in self.lookups

    def to_field_allowed(self, request: HttpRequest, to_field: str) -> bool:  # noqa: ARG002
        """Rows are named by their id."""
        return to_field in ("id", "pk")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return _is_admin(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return _is_admin(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _is_admin(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return _is_admin(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return False

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


@admin.register(User, site=site)
class UserAdmin(ThroughActions):
    """Accounts: make, correct, shut out, let in."""

    list_display = (
        "username", "first_name", "last_name", "email", "is_staff", "is_officer", "is_active", "last_login"
    )  # fmt: skip
    list_filter = ("is_staff", "is_officer", "is_active")
    lookups = ("is_staff__exact", "is_officer__exact", "is_active__exact")
    search_fields = ("username", "first_name", "last_name", "email")
    form = KnownAccountForm
    fields = ("username", "first_name", "last_name", "email", "is_staff", "is_officer", "is_active", *LOST)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """A new account has nothing yet that could be replaced."""
        if obj is None:
            kwargs |= {"form": NewAccountForm, "fields": None}
        return super().get_form(request, obj, change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new account is active."""
        if obj is None:
            return ("username", "first_name", "last_name", "email", "is_staff")
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
            made = accounts.create(username=said["username"], is_admin=said["is_staff"], by=by, **names)
            obj.pk = made.pk
            _hand_out_link(request, made)
            return
        if "is_active" in form.changed_data:
            (accounts.reactivate if said["is_active"] else accounts.deactivate)(user=obj, by=by)
        if "is_officer" in form.changed_data:
            (officers.appoint if said["is_officer"] else officers.dismiss)(user=obj, by=by)
        if set(form.changed_data) - {"is_active", "is_officer", *LOST}:
            accounts.change(user=obj, is_admin=said["is_staff"], by=by, **names)
        if said["remove_second_factor"]:
            accounts.remove_factors(user=obj, by=by)
        if said["replace_password"]:
            _hand_out_link(request, accounts.reset_password(user=obj, by=by))


@admin.register(Project, site=site)
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


@admin.register(Membership, site=site)
class MembershipAdmin(ThroughActions):
    """Roles: give, take back."""

    form = MembershipForm
    list_display = ("project", "user", "role", "created_at")
    list_filter = ("role", "project")
    lookups = ("role__exact", "project__id__exact")
    list_select_related = ("project", "user")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """A role is taken back and another given."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Taking back is an action."""
        return _is_admin(request)

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


def _hand_out_link(request: HttpRequest, user: User) -> None:
    link = link_to_choose_password(request, user)
    messages.warning(
        request,
        f"Give {user.display_name} this link in person or where only they read it: whoever opens it first "
        f"chooses the password. It serves once, for two days, and is not shown again: {link}",
    )


def _is_admin(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_admin


def _admin(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # has_…_permission has seen to it
    return request.user
