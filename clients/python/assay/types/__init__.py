"""Every type of the interface. Generated from openapi.json by generate.py: change that."""

from .annotations import *  # noqa: F401,F403
from .api_keys import *  # noqa: F401,F403
from .collaborators import *  # noqa: F401,F403
from .datasets import *  # noqa: F401,F403
from .experiments import *  # noqa: F401,F403
from .filters import *  # noqa: F401,F403
from .groups import *  # noqa: F401,F403
from .history import *  # noqa: F401,F403
from .integrations import *  # noqa: F401,F403
from .jobs import *  # noqa: F401,F403
from .log_streams import *  # noqa: F401,F403
from .logins import *  # noqa: F401,F403
from .metrics import *  # noqa: F401,F403
from .models import *  # noqa: F401,F403
from .projects import *  # noqa: F401,F403
from .prompts import *  # noqa: F401,F403
from .records import *  # noqa: F401,F403
from .scorers import *  # noqa: F401,F403
from .seals import *  # noqa: F401,F403
from .service import *  # noqa: F401,F403
from .sessions import *  # noqa: F401,F403
from .several import *  # noqa: F401,F403
from .spans import *  # noqa: F401,F403
from .traces import *  # noqa: F401,F403
from .users import *  # noqa: F401,F403
from .views import *  # noqa: F401,F403
