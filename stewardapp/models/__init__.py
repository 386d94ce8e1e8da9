"""What is kept in the database; one file per noun."""

import importlib
import pkgutil

from stewardapp.models.allotment import Allotment
from stewardapp.models.allowance import Allowance
from stewardapp.models.anchor import Anchor
from stewardapp.models.artifact import Artifact
from stewardapp.models.assessment import Assessment, Why
from stewardapp.models.audit import AuditEvent, AuditHead
from stewardapp.models.blob import Blob
from stewardapp.models.bookmark import Bookmark
from stewardapp.models.charge import Charge
from stewardapp.models.column import Column
from stewardapp.models.comment import Comment, Visibility
from stewardapp.models.contribution import Contribution, ContributionKind
from stewardapp.models.data_key import DataKey
from stewardapp.models.dataset import Dataset
from stewardapp.models.desk import Desk
from stewardapp.models.download import Download
from stewardapp.models.exploration import Exploration
from stewardapp.models.guesses import Guesses
from stewardapp.models.hierarchy import Hierarchy
from stewardapp.models.job import JobState
from stewardapp.models.leak import Leak
from stewardapp.models.look import Look
from stewardapp.models.membership import Membership
from stewardapp.models.notification import Notification
from stewardapp.models.policy import Policy
from stewardapp.models.policy_row import PolicyRow
from stewardapp.models.population import Population
from stewardapp.models.preview import Preview
from stewardapp.models.project import Project
from stewardapp.models.project_key import ProjectKey
from stewardapp.models.proposal import Agreement, Proposal, ProposalKind, ProposalState
from stewardapp.models.query import Asking, Query
from stewardapp.models.reading import Reading
from stewardapp.models.release import Release
from stewardapp.models.replay import Replay
from stewardapp.models.resemblance import Resemblance
from stewardapp.models.review import Review
from stewardapp.models.run import Run
from stewardapp.models.survey import Survey, SurveyAnswer, SurveyInvitation, SurveyQuestion
from stewardapp.models.sweep import Sweep
from stewardapp.models.upload import Upload, UploadState
from stewardapp.models.user import AnyUser, User
from stewardapp.models.version import Version
from stewardapp.models.worker_sign import WorkerSign

for _found in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_found.name)  # a new table is one file

__all__ = [
    "Agreement",
    "Allotment",
    "Allowance",
    "Anchor",
    "AnyUser",
    "Artifact",
    "Asking",
    "Assessment",
    "AuditEvent",
    "AuditHead",
    "Blob",
    "Bookmark",
    "Charge",
    "Column",
    "Comment",
    "Contribution",
    "ContributionKind",
    "DataKey",
    "Dataset",
    "Desk",
    "Download",
    "Exploration",
    "Guesses",
    "Hierarchy",
    "JobState",
    "Leak",
    "Look",
    "Membership",
    "Notification",
    "Policy",
    "PolicyRow",
    "Population",
    "Preview",
    "Project",
    "ProjectKey",
    "Proposal",
    "ProposalKind",
    "ProposalState",
    "Query",
    "Reading",
    "Release",
    "Replay",
    "Resemblance",
    "Review",
    "Run",
    "Survey",
    "SurveyAnswer",
    "SurveyInvitation",
    "SurveyQuestion",
    "Sweep",
    "Upload",
    "UploadState",
    "User",
    "Version",
    "Visibility",
    "Why",
    "WorkerSign",
]
