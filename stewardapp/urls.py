"""Every address of the site. Each views module lists its own; nothing is public unless it says so."""

from importlib import import_module
from importlib.util import find_spec

from django.urls import URLPattern, URLResolver, path

from stewardapp.admin import site as administration

NOUNS = (
    "surveys survey_questions survey_answers desks queries "
    "health home accounts projects project_keys populations budgets replays datasets uploads versions "
    "columns column_settings hierarchies hierarchy_editor version_hierarchies releases previews runs "
    "explorer matrix_editor reviews catalogue artifacts methods audit"
).split()

urlpatterns: list[URLPattern | URLResolver] = [path("admin/", administration.urls)]
for noun in NOUNS:
    if find_spec(f"stewardapp.views.{noun}"):
        urlpatterns += import_module(f"stewardapp.views.{noun}").urlpatterns

handler400 = "stewardapp.views.errors.malformed"
handler403 = "stewardapp.views.errors.refused"
handler404 = "stewardapp.views.errors.not_found"
handler500 = "stewardapp.views.errors.broken"
