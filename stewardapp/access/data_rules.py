"""Rules about projects, people, datasets and versions."""

from __future__ import annotations

from stewardapp.access.facts import DatasetFacts, JobFacts, Person, ProjectKeyFacts, VersionFacts
from stewardapp.access.permitted import permitted, stoppable
from stewardapp.access.roles import Permission
from stewardapp.access.verdict import Verdict, first_no, no, yes

ADMINS_DO_NOT_READ = no(
    "admins-do-not-read", "Administrators manage people and retention; they do not read data."
)


# Projects and people


def may_view_project(person: Person) -> Verdict:
    """See the project, its members and its policy."""
    return permitted(person, Permission.VIEW_PROJECT, "see the project")


def may_create_project(person: Person) -> Verdict:
    """Found a project, or rename one."""
    if person.has(Permission.MANAGE_PROJECT):
        return yes()
    return no("admins-only", "Only an administrator can create or rename a project.")


def may_manage_members(person: Person) -> Verdict:
    """Give and take roles."""
    if person.has(Permission.MANAGE_MEMBERS):
        return yes()
    return no("admins-only", "Only an administrator can add or remove members.")


def may_revise_policy(person: Person) -> Verdict:
    """Change the thresholds; not a steward, who would judge the own work by rules of the own making."""
    if person.has(Permission.MANAGE_POLICY):
        return yes()
    return no("admins-only", "Only an administrator can change the policy of a project.")


def may_manage_people(person: Person) -> Verdict:
    """Create and deactivate accounts."""
    return yes() if person.is_admin else no("admins-only", "Only an administrator can manage accounts.")


def may_manage_populations(person: Person) -> Verdict:
    """Describe populations and declare overlaps; asked of the roles held in any project."""
    if person.is_admin or person.has(Permission.UPLOAD):
        return yes()
    return no("no-permission", "Only a steward or an administrator can describe populations.")


def may_view_audit(person: Person) -> Verdict:
    """Read the audit log of a project."""
    return permitted(person, Permission.VIEW_AUDIT, "read the audit log")


def may_create_project_key(person: Person, key: ProjectKeyFacts) -> Verdict:
    """Make the key of a project's pseudonyms, because a run needs it."""
    there = no("key-exists", "This project has a key already.") if key.exists else yes()
    return first_no(permitted(person, Permission.RUN, "make the key of its pseudonyms"), there)


def may_replace_project_key(person: Person, key: ProjectKeyFacts) -> Verdict:
    """Destroy the key of a project's pseudonyms and make another; it destroys what links them."""
    there = yes() if key.exists else no("no-key", "This project has no key yet; its first use makes one.")
    idle = no("busy", "A run is using the key; wait or cancel first.") if key.busy else yes()
    return first_no(permitted(person, Permission.MANAGE_RETENTION, "replace the key"), there, idle)


# Data


def _may_touch_data(person: Person, permission: Permission, what: str) -> Verdict:
    allowed = permitted(person, permission, what)
    return ADMINS_DO_NOT_READ if not allowed and person.is_admin else allowed


def may_create_dataset(person: Person) -> Verdict:
    """Name a new dataset."""
    return _may_touch_data(person, Permission.UPLOAD, "create a dataset")


def may_remove_dataset(person: Person, dataset: DatasetFacts) -> Verdict:
    """Take a dataset out of the lists that never held readable data, or no longer does."""
    return first_no(
        _may_touch_data(person, Permission.UPLOAD, "remove a dataset"),
        is_there(dataset),
        no("used", "Releases, surveys, uploads or desks belong to this dataset.") if dataset.used else yes(),
        no("holds-data", "This dataset holds data; destroy them first.") if dataset.holds_data else yes(),
    )


def is_there(dataset: DatasetFacts) -> Verdict:
    """Nobody removed it: what begins with it would be found by nobody."""
    return no("removed", "This dataset was removed.") if dataset.removed else yes()


def may_upload(person: Person) -> Verdict:
    """Bring in a new version."""
    return _may_touch_data(person, Permission.UPLOAD, "upload data")


def may_view_version(person: Person) -> Verdict:
    """See the profile and the masked preview of a version."""
    return _may_touch_data(person, Permission.VIEW_DATA, "look into the data")


def may_read_again(person: Person, version: VersionFacts) -> Verdict:
    """Read the uploaded bytes once more, with a corrected dialect."""
    return first_no(
        _may_touch_data(person, Permission.UPLOAD, "read the file again"), exists(version), idle(version)
    )


def may_cancel_reading(person: Person, reading: JobFacts) -> Verdict:
    """Stop a reading that is queued or running."""
    allowed = _may_touch_data(person, Permission.UPLOAD, "cancel a reading")
    return first_no(allowed, stoppable("reading", reading))


def may_tag(person: Person, version: VersionFacts) -> Verdict:
    """Say what role each column plays."""
    return first_no(
        _may_touch_data(person, Permission.TAG, "tag columns"), exists(version), was_read(version)
    )


def may_edit_hierarchies(person: Person) -> Verdict:
    """Create hierarchies and attach them to columns."""
    return _may_touch_data(person, Permission.TAG, "edit hierarchies")


def may_destroy(person: Person, version: VersionFacts) -> Verdict:
    """Destroy a version's data before their date."""
    return first_no(
        permitted(person, Permission.MANAGE_RETENTION, "destroy data"), exists(version), idle(version)
    )


def exists(version: VersionFacts) -> Verdict:
    """The data are still there."""
    return no("destroyed", "The data of this version were destroyed.") if version.destroyed else yes()


def idle(version: VersionFacts) -> Verdict:
    """No worker is using the version."""
    return no("busy", "A worker is using this version; wait or cancel first.") if version.busy else yes()


def was_read(version: VersionFacts) -> Verdict:
    """The bytes were read into a table."""
    return yes() if version.has_table else no("not-read", "The file has not been read yet.")
