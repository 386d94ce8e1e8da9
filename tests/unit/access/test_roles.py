from stewardapp.access.roles import (
    ADMIN_PERMISSIONS,
    OFFICER_PERMISSIONS,
    ROLE_PERMISSIONS,
    Permission,
    Role,
    permissions_of,
    roles_with,
)


def test_every_role_has_permissions() -> None:
    assert set(ROLE_PERMISSIONS) == set(Role)


def test_every_permission_is_given_to_somebody() -> None:
    offices = ADMIN_PERMISSIONS | OFFICER_PERMISSIONS
    assert offices.union(*ROLE_PERMISSIONS.values()) == set(Permission)


def test_administration_reads_no_data_and_approves_nothing() -> None:
    forbidden = {
        Permission.VIEW_DATA,
        Permission.REVIEW,
        Permission.UPLOAD,
        Permission.PUBLISH,
        Permission.RUN,
    }
    assert not forbidden & (ADMIN_PERMISSIONS | OFFICER_PERMISSIONS)


def test_nobody_who_submits_may_review_by_role() -> None:
    for held in ROLE_PERMISSIONS.values():
        assert not {Permission.REVIEW, Permission.SUBMIT} <= held


def test_permissions_add_up() -> None:
    both = permissions_of([Role.STEWARD, Role.REVIEWER], is_admin=False)
    assert {Permission.SUBMIT, Permission.REVIEW} <= both
    assert permissions_of([], is_admin=False) == frozenset()
    assert permissions_of([], is_admin=True) == ADMIN_PERMISSIONS
    assert permissions_of([], is_admin=False, is_officer=True) == OFFICER_PERMISSIONS


def test_roles_with_a_permission() -> None:
    assert roles_with(Permission.REVIEW) == (Role.REVIEWER,)
    assert roles_with(Permission.MANAGE_MEMBERS) == ()
