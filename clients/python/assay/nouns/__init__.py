"""All nouns of the interface. Generated from openapi.json by generate.py: change that."""

from ..noun import Asker
from .api_keys import APIKeys
from .annotations import Annotations
from .collaborators import Collaborators
from .datasets import Datasets
from .experiments import Experiments
from .groups import Groups
from .history import History
from .history_exports import HistoryExports
from .integrations import Integrations
from .jobs import Jobs
from .log_streams import LogStreams
from .logins import Logins
from .metrics import Metrics
from .models import Models
from .projects import Projects
from .prompts import Prompts
from .scorers import Scorers
from .seals import Seals
from .service import Service
from .sessions import Sessions
from .spans import Spans
from .traces import Traces
from .users import Users
from .views import Views


class Nouns:
    """Operations of the service, by noun."""

    def __init__(self, asker: Asker) -> None:
        self.api_keys = APIKeys(asker)
        self.annotations = Annotations(asker)
        self.collaborators = Collaborators(asker)
        self.datasets = Datasets(asker)
        self.experiments = Experiments(asker)
        self.groups = Groups(asker)
        self.history = History(asker)
        self.history_exports = HistoryExports(asker)
        self.integrations = Integrations(asker)
        self.jobs = Jobs(asker)
        self.log_streams = LogStreams(asker)
        self.logins = Logins(asker)
        self.metrics = Metrics(asker)
        self.models = Models(asker)
        self.projects = Projects(asker)
        self.prompts = Prompts(asker)
        self.scorers = Scorers(asker)
        self.seals = Seals(asker)
        self.service = Service(asker)
        self.sessions = Sessions(asker)
        self.spans = Spans(asker)
        self.traces = Traces(asker)
        self.users = Users(asker)
        self.views = Views(asker)
