"""Settings. The default is one machine without servers; a site differs by environment variables only."""

from pathlib import Path
from typing import Any

import dj_database_url

from stewardapp import env, logs
from stewardapp.secrets_file import read_or_create

BASE_DIR = Path(__file__).resolve().parent.parent

# Where everything this installation owns is kept, and whether it is a site with real users on a network.
STEWARD_DATA = env.folder("STEWARD_DATA", BASE_DIR / "data")
STEWARD_DATA.mkdir(mode=0o700, parents=True, exist_ok=True)
env.hand_down("STEWARD_KERNELS", STEWARD_DATA / "kernels")  # what is compiled where the sources are read-only
STEWARD_SITE = env.flag("STEWARD_SITE")
STEWARD_PORT = env.integer("STEWARD_PORT", 8000)

DEBUG = env.flag("STEWARD_DEBUG")
if STEWARD_SITE:
    SECRET_KEY = env.text("STEWARD_SECRET_KEY")
    ALLOWED_HOSTS = env.words("STEWARD_HOSTS")
    if len(SECRET_KEY) < 50 or len(set(SECRET_KEY)) < 5:
        raise env.BadSetting("STEWARD_SECRET_KEY must be set to at least 50 random characters on a site.")
    if DEBUG:
        raise env.BadSetting("STEWARD_DEBUG must be off on a site: error pages would show data.")
    if not ALLOWED_HOSTS or any("*" in host or host.startswith(".") for host in ALLOWED_HOSTS):
        raise env.BadSetting("STEWARD_HOSTS must name the host names of a site, without wildcards.")
else:
    SECRET_KEY = read_or_create(STEWARD_DATA / "secret-key")
    ALLOWED_HOSTS = env.words("STEWARD_HOSTS", "127.0.0.1,localhost,[::1]")

# The site key wraps every data key: none of them is in the database, so that a stolen dump opens nothing.
# Its folder must be writable for `rotate_key`.
STEWARD_KEY_FILE = Path(env.text("STEWARD_KEY_FILE", str(STEWARD_DATA / "key-encryption-key")))

# Where finished files lie, sealed: in the data folder, or in a bucket of an S3-compatible store. Of such a
# store every host keeps copies of what it read last. Nothing here ever reaches a process of the engine.
STEWARD_STORE = env.bucket("STEWARD_STORE", "")
STEWARD_STORE_ENDPOINT = env.address("STEWARD_STORE_ENDPOINT", "")
STEWARD_STORE_REGION = env.text("STEWARD_STORE_REGION", "us-east-1")
STEWARD_STORE_KEY = env.text("STEWARD_STORE_KEY", "")
STEWARD_STORE_SECRET = env.text("STEWARD_STORE_SECRET", "")
STEWARD_STORE_PATIENCE = env.number("STEWARD_STORE_PATIENCE", 10)
STEWARD_STORE_COPIES = env.integer("STEWARD_STORE_COPIES", 20 * 1024**3)

# Jobs.
STEWARD_BROKER_URL = env.text("STEWARD_BROKER_URL", f"spool://{STEWARD_DATA}/spool")
STEWARD_LEASE = env.number("STEWARD_LEASE", 30)
STEWARD_TICK = env.number("STEWARD_TICK", 3)
# Answers of query desks become visible at the next tick of this clock, so that run times tell little.
STEWARD_ANSWER_TICK = env.number("STEWARD_ANSWER_TICK", 5)
STEWARD_ANSWER_WAIT = env.number("STEWARD_ANSWER_WAIT", 10)
STEWARD_JOB_MEMORY = env.integer("STEWARD_JOB_MEMORY", 2 * 1024**3)
STEWARD_JOB_SECONDS = env.integer("STEWARD_JOB_SECONDS", 3600)
# Whether each process that does jobs keeps an engine loaded, which jobs are given copies of.
STEWARD_READY_ENGINE = env.flag("STEWARD_READY_ENGINE", True)

# What may be uploaded; the upload page says so before.
STEWARD_MAX_UPLOAD = env.integer("STEWARD_MAX_UPLOAD", 20 * 1024**3)
# Days after which an upload of which no more came is given up.
STEWARD_UPLOAD_DAYS = env.number("STEWARD_UPLOAD_DAYS", 7)
STEWARD_MAX_COLUMNS = env.integer("STEWARD_MAX_COLUMNS", 2000)
STEWARD_MAX_ROWS = env.integer("STEWARD_MAX_ROWS", 100_000_000)

# Proxies that may say for whom they ask (X-Forwarded-For, X-Forwarded-Proto): addresses or networks. Such
# headers of anybody else are ignored.
STEWARD_TRUSTED_PROXIES = env.networks("STEWARD_TRUSTED_PROXIES")

# Seconds a client may take to send the head of a request, and then for each 10 kB of its body.
STEWARD_PATIENCE = env.number("STEWARD_PATIENCE", 20)

# Where the daily anchor of the audit log is sent besides the data folder: an address that takes a POST.
STEWARD_ANCHOR_URL = env.address("STEWARD_ANCHOR_URL", "")

# How many answers to one open survey link one network may send in an hour.
STEWARD_SURVEY_PER_HOUR = env.integer("STEWARD_SURVEY_PER_HOUR", 60)

INSTALLED_APPS = [
    "stewardapp",
    "django.contrib.admin.apps.SimpleAdminConfig",  # nobody else's models are looked for
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.forms",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "csp",
    "django_htmx",
    "django_structlog",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "stewardapp.middleware.WellFormedMiddleware",
    "stewardapp.middleware.ReadingOnMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "stewardapp.middleware.IdleSessionMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "stewardapp.middleware.NoStoreMiddleware",
    "stewardapp.middleware.NewsMiddleware",
    "stewardapp.middleware.RefusalMiddleware",
    "stewardapp.middleware.SecondFactorMiddleware",
]

ROOT_URLCONF = "stewardapp.urls"
WSGI_APPLICATION = "stewardapp.wsgi.application"
ASGI_APPLICATION = "stewardapp.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "stewardapp.context.desk",
            ]
        },
    }
]

DATABASES: dict[str, Any] = {
    "default": dj_database_url.parse(
        env.text("STEWARD_DATABASE_URL", f"sqlite:///{STEWARD_DATA}/steward.sqlite3"),
        conn_max_age=60,
        conn_health_checks=True,
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # Writers queue at BEGIN instead of failing halfway; readers never wait.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
            "PRAGMA cache_size=-20000; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON;"
        ),
    }
    DATABASES["default"]["TEST"] = {"NAME": STEWARD_DATA / "test.sqlite3"}
else:
    # What the database is to read once and not each time: asked for by a cursor that binds on the server.
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("prepare_threshold", 3)

CACHE_URL = env.text("STEWARD_CACHE_URL")
CACHES = {
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": CACHE_URL}
        if CACHE_URL
        else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    )
}

# People.
AUTH_USER_MODEL = "stewardapp.User"
AUTHENTICATION_BACKENDS = [
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
PASSWORD_RESET_TIMEOUT = 48 * 3600  # for a link that an administrator made
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_ADAPTER = "stewardapp.accounts.ClosedDoorAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = False
ACCOUNT_RATE_LIMITS = False  # guesses are counted at our doors, see views/guessing.py
ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
ACCOUNT_REAUTHENTICATION_REQUIRED = True
MFA_ADAPTER = "stewardapp.accounts.SealedFactors"
MFA_TOTP_ISSUER = "Release desk"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]

# A session ends when the browser closes or after 30 idle minutes (see middleware).
SESSION_ENGINE = "stewardapp.sessions"
SESSION_COOKIE_AGE = 12 * 3600
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
STEWARD_IDLE_SECONDS = 30 * 60
SESSION_COOKIE_NAME = "steward_session"
CSRF_COOKIE_NAME = "steward_csrf"
CSRF_COOKIE_SAMESITE = SESSION_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "stewardapp.views.errors.csrf_refused"
CSRF_TRUSTED_ORIGINS = env.words("STEWARD_ORIGINS")
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if STEWARD_SITE:
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_SSL_REDIRECT = env.flag("STEWARD_SSL_REDIRECT", True)
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True

# The two hashes are the empty style and `image-rendering: pixelated`, which Plotly's heat maps need.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "style-src-attr": [
            "'unsafe-hashes'",
            "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
            "'sha256-AR/cKIZjWPcPmBUPDA6oti9XBiTbJvz0Cro2J1VzzS8='",
        ],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}
PERMISSIONS_POLICY: dict[str, list[str]] = {
    name: [] for name in ("camera", "geolocation", "microphone", "payment", "usb", "browsing-topics")
}

# Uploads stream straight into sealed files; nothing larger than a form is ever held in memory.
FILE_UPLOAD_HANDLERS = ["stewardapp.uploadhandler.SealedUploadHandler"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024**2
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = STEWARD_DATA / "static"
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_USE_FINDERS = not STEWARD_SITE
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if STEWARD_SITE
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

LANGUAGE_CODE = "en-gb"
TIME_ZONE = env.text("STEWARD_TIME_ZONE", "UTC")
USE_TZ = True
USE_THOUSAND_SEPARATOR = False

LOGGING = logs.configuration(env.text("STEWARD_LOG_LEVEL", "INFO"))
DJANGO_STRUCTLOG_CELERY_ENABLED = False
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False  # it would believe any header; see logs.py
