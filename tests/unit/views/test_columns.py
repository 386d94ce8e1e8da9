"""Tagging and hierarchies."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from stewardapp.models import AuditEvent, Column, Hierarchy
from tests import factories
from tests.markup import tight

ROLES = ("direct-identifier", "quasi-identifier", "quasi-identifier", "quasi-identifier", "sensitive")


def tagged(client, version, roles=ROLES, **more):
    sent = {f"role-{place}": role for place, role in enumerate(roles)}
    return client.post(f"/versions/{version.pk}/columns/", sent | more)


def roles_of(version):
    return tuple(version.columns.order_by("position").values_list("role", flat=True))


def column(version, name):
    return Column.objects.get(version=version, name=name)


def test_one_form_tags_every_column_with_one_event(client_of, team, survey):
    before = AuditEvent.objects.count()
    tagged(client_of(team.steward), survey)
    assert roles_of(survey) == ROLES
    assert AuditEvent.objects.count() == before + 1


def test_saving_the_same_roles_again_changes_nothing(client_of, team, survey):
    client = client_of(team.steward)
    tagged(client, survey)
    before = AuditEvent.objects.count()
    tagged(client, survey)
    assert AuditEvent.objects.count() == before


def test_untagged_columns_are_announced_loudly(client_of, team, survey):
    client = client_of(team.steward)
    tagged(client, survey, ("", "quasi-identifier", "", "", ""))
    page = client.get(f"/versions/{survey.pk}/columns/").content.decode()
    assert "4\u00a0columns are untagged and will be dropped." in page


def test_continuing_leads_to_a_release_of_this_version(client_of, team, survey):
    answer = tagged(client_of(team.steward), survey, **{"continue": "yes"})
    assert answer.url == f"/releases/new/?version={survey.pk}"


def test_a_role_that_does_not_exist_keeps_what_was_chosen_on_the_page(client_of, team, survey):
    answer = tagged(client_of(team.steward), survey, ("sensitive", "emperor", "", "", ""))
    assert answer.status_code == 422
    assert "Column 2: choose one of the listed roles." in answer.content.decode()
    assert roles_of(survey) == ("",) * 5


def test_two_weights_are_refused_in_words(client_of, team, survey):
    answer = tagged(client_of(team.steward), survey, ("weight", "weight", "", "", ""))
    assert answer.status_code == 422
    assert "Only one column can be the weight" in answer.content.decode()


CONSENT = ("", "", "", "consent", "")


def test_a_consent_column_says_which_of_its_values_mean_yes(client_of, team, survey):
    client = client_of(team.steward)
    before = AuditEvent.objects.count()
    answer = tagged(client, survey, CONSENT, **{"granted-3": " F , X"})
    assert answer.status_code == 302
    assert column(survey, "sex").settings == {"granted": ["F", "X"]}
    assert AuditEvent.objects.count() == before + 1
    assert 'value="F, X"' in client.get(f"/versions/{survey.pk}/columns/").content.decode()
    tagged(client, survey, CONSENT)
    assert AuditEvent.objects.count() == before + 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({}, "sex: write which of its values mean that consent was given."),
        ({"granted-3": " , "}, "sex: write which of its values mean that consent was given."),
        ({"granted-3": "yes"}, "sex: no row holds these values."),
    ],
)
def test_a_consent_that_nobody_could_have_given_is_refused_at_once(client_of, team, survey, words, sentence):
    answer = tagged(client_of(team.steward), survey, CONSENT, **words)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert sentence in page
    assert 'value="consent" selected' in page
    assert roles_of(survey) == ("",) * 5


def test_the_panel_counts_unique_rows_of_the_asked_set(client_of, team, survey):
    address = f"/versions/{survey.pk}/identifying/"
    client = client_of(team.steward)
    alone = client.get(address, {"c": [3]}).content.decode()
    assert "sex" in alone
    assert "0\u00a0%" in alone
    together = client.get(address, {"c": [1, 2, 3]}).content.decode()
    assert "born + zip + sex" in together
    assert "100\u00a0%" in together
    assert "Tag quasi-identifiers" in client.get(address).content.decode()


def test_the_panel_says_what_k_costs_and_which_columns_that_leave_suffice(client_of, team, survey):
    client, address = client_of(team.steward), f"/versions/{survey.pk}/identifying/"
    page = tight(client.get(address, {"c": [1, 3], "l": [2]}).content.decode()).replace("\u00a0", " ")
    assert "With k = 5," in page
    assert "would have to be suppressed" in page
    assert "Smallest sets that single rows out" in page
    alone = client.get(address, {"l": [2]}).content.decode()
    assert "With k = 5" not in alone
    assert "Of all columns that leave" in alone


KEPT = ("", "quasi-identifier", "other", "", "")
REASON = {"known-2": "no", "because-2": "measured-here", "words-2": " by our own device "}


def test_a_kept_column_that_nobody_else_knows_says_why(client_of, team, survey):
    client = client_of(team.steward)
    before = AuditEvent.objects.count()
    assert tagged(client, survey, KEPT, **REASON).status_code == 302
    kept = column(survey, "zip")
    assert (kept.unknown_because, kept.unknown_words) == ("measured-here", "by our own device")
    assert AuditEvent.objects.count() == before + 1
    assert AuditEvent.objects.latest("pk").details["unknown"] == {"zip": "measured-here"}
    assert 'value="by our own device"' in client.get(f"/versions/{survey.pk}/columns/").content.decode()
    tagged(client, survey, KEPT, **REASON)
    tagged(client, survey, KEPT)
    assert AuditEvent.objects.count() == before + 1, "nothing new was said"
    tagged(client, survey, KEPT, **{"known-2": "yes"})
    assert column(survey, "zip").unknown_because == ""


def test_a_column_that_is_kept_no_longer_forgets_that_nobody_knows_it(client_of, team, survey):
    client = client_of(team.steward)
    tagged(client, survey, KEPT, **REASON)
    tagged(client, survey, ("", "", "sensitive", "", ""), **REASON)
    assert (column(survey, "zip").role, column(survey, "zip").unknown_words) == ("sensitive", "")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"because-2": ""}, "zip: Choose why others could not know it."),
        ({"because-2": "magic"}, "zip: Choose why others could not know it."),
        ({"words-2": "  "}, "zip: Words must not be empty."),
    ],
)
def test_without_a_reason_a_kept_column_counts_as_known(client_of, team, survey, said, sentence):
    answer = tagged(client_of(team.steward), survey, KEPT, **{**REASON, **said})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert sentence in page
    assert 'name="known-2" value="no" checked' in tight(page)
    assert column(survey, "zip").unknown_because == ""


@pytest.mark.parametrize(
    ("who", "status"),
    [("steward", 200), ("reviewer", 200), ("admin", 403), ("analyst", 404), ("outsider", 404)],
)
def test_who_may_look_at_columns(client_of, team, survey, who, status):
    client, born = client_of(team.persona(who)), column(survey, "born")
    assert client.get(f"/versions/{survey.pk}/columns/").status_code == status
    assert client.get(f"/versions/{survey.pk}/identifying/").status_code == status
    hidden = 404 if who == "admin" else status
    assert client.get(f"/columns/{born.pk}/hierarchy/").status_code == hidden


def test_one_click_saves_the_tags_and_proposes_hierarchies_per_kind(client_of, team, survey):
    tagged(client_of(team.steward), survey, propose="all")
    assert roles_of(survey) == ROLES
    assert column(survey, "born").hierarchy.spec["builder"] == "date"
    assert column(survey, "zip").hierarchy.spec["builder"] in {"mask", "interval"}
    assert column(survey, "sex").hierarchy.spec["builder"] == "order"


def test_the_levels_are_shown_with_counts(client_of, team, survey):
    client, born = client_of(team.steward), column(survey, "born")
    client.post(f"/columns/{born.pk}/hierarchy/propose/")
    page = client.get(f"/columns/{born.pk}/hierarchy/").content.decode()
    assert "[1950, 1960[\u0020" in page
    assert "*" in page


def test_levels_of_a_built_hierarchy_are_counted_on_the_page(client_of, team, survey):
    """Also where nobody counted them when it was made."""
    from stewardapp.actions import hierarchies

    spec = {"builder": "date", "levels": ["year", "decade"]}
    made = hierarchies.create(project=team.project, name="by year", spec=spec, by=team.steward)
    hierarchies.attach(column=column(survey, "born"), hierarchy=made, by=team.steward)
    page = client_of(team.steward).get(f"/versions/{survey.pk}/columns/").content.decode()
    assert made.levels == 0
    assert ">4 levels<" in tight(page).replace("\u00a0", " ")


def test_the_same_proposal_is_made_once(client_of, team, survey):
    client, born = client_of(team.steward), column(survey, "born")
    client.post(f"/columns/{born.pk}/hierarchy/propose/")
    client.post(f"/columns/{born.pk}/hierarchy/propose/")
    assert Hierarchy.objects.count() == 1


def test_a_hierarchy_leaves_as_csv_and_comes_back(client_of, team, survey):
    client, born = client_of(team.steward), column(survey, "born")
    client.post(f"/columns/{born.pk}/hierarchy/propose/")
    built = Hierarchy.objects.get()
    lines = client.get(f"/hierarchies/{built.pk}/export/").content
    assert lines.splitlines()[0].count(b";") == 4
    file = SimpleUploadedFile("born.csv", lines)
    answer = client.post(f"/columns/{born.pk}/hierarchy/import/", {"file": file})
    assert answer.status_code == 302
    brought = column(survey, "born").hierarchy
    assert brought.levels == 5
    assert client.get(f"/hierarchies/{brought.pk}/export/").content == lines
    assert client.get(f"/hierarchies/{brought.pk}/").status_code == 200


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"cold;*\nflu;air;*\n", "on line 2"),
        (b"", "empty"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"cold;a;*\ncold;b;*\n", "line 2"),
    ],
)
def test_a_bad_table_gets_a_sentence_without_a_value(client_of, team, survey, content, words):
    illness = column(survey, "illness")
    file = SimpleUploadedFile("h.csv", content)
    answer = client_of(team.steward).post(f"/columns/{illness.pk}/hierarchy/import/", {"file": file})
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not Hierarchy.objects.exists()


def test_a_table_without_some_values_says_how_many(client_of, team, survey):
    client, illness = client_of(team.steward), column(survey, "illness")
    client.post(
        f"/columns/{illness.pk}/hierarchy/import/", {"file": SimpleUploadedFile("h.csv", b"cold;*\n")}
    )
    page = client.get(f"/columns/{illness.pk}/hierarchy/").content.decode()
    assert "1 of 2 values have no line" in page


def test_attaching_and_detaching(client_of, team, survey):
    client, born = client_of(team.steward), column(survey, "born")
    client.post(f"/columns/{born.pk}/hierarchy/propose/")
    built = Hierarchy.objects.get()
    client.post(f"/columns/{born.pk}/hierarchy/detach/")
    assert column(survey, "born").hierarchy is None
    client.post(f"/columns/{born.pk}/hierarchy/attach/", {"hierarchy": str(built.pk)})
    assert column(survey, "born").hierarchy == built


def test_a_hierarchy_of_another_project_cannot_be_attached(client_of, team, survey):
    other = factories.make_project()
    from stewardapp.actions import hierarchies

    foreign = hierarchies.create(
        project=other.project, name="foreign", spec={"builder": "mask"}, by=other.steward
    )
    client, born = client_of(team.steward), column(survey, "born")
    answer = client.post(f"/columns/{born.pk}/hierarchy/attach/", {"hierarchy": str(foreign.pk)})
    assert answer.status_code == 422
    assert client.get(f"/hierarchies/{foreign.pk}/").status_code == 404
    assert client.get(f"/hierarchies/{foreign.pk}/export/").status_code == 404


@pytest.mark.parametrize("what", ["propose", "attach", "detach", "import"])
@pytest.mark.parametrize(("who", "status"), [("reviewer", 403), ("admin", 404), ("outsider", 404)])
def test_only_stewards_change_hierarchies(client_of, team, survey, what, who, status):
    born = column(survey, "born")
    answer = client_of(team.persona(who)).post(f"/columns/{born.pk}/hierarchy/{what}/")
    assert answer.status_code == status


def test_an_estimated_share_is_called_an_estimate(client_of, team):
    profile = {
        **factories.PROFILE,
        "rows": 1_000_000,
        "identifying": [{"columns": ["age", "zip"], "unique_share": 0.25, "is_exact": False}],
    }
    version = factories.read(factories.upload(team), profile=profile)
    page = client_of(team.steward).get(f"/versions/{version.pk}/identifying/", {"c": [0, 1]}).content.decode()
    assert "about 25\u00a0%" in page
    assert "An estimate" in page
    assert "A missing value is a value of its own." in page


WIDE = ["age", "zip", *(f"q{number}" for number in range(78))]


def wide(team, **sets):
    """A version of eighty columns of which a few sets were counted."""
    columns = [{**factories.PROFILE["columns"][0], "name": name, "unique_share": 0.01} for name in WIDE]
    counted = [{"columns": names.split("+"), "unique_share": share} for names, share in sets.items()]
    profile = {**factories.PROFILE, "rows": 1_000_000, "columns": columns, "identifying": counted}
    return factories.read(factories.upload(team), profile=profile)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ([0, 1], "20\u00a0%"),
        ([0, 1, 2], "20\u00a0% to 60\u00a0%"),
        (range(80), "at least 60\u00a0%"),
        ([7, 8], "1\u00a0% to 60\u00a0%"),
        ([78], "1\u00a0%"),
    ],
)
def test_any_number_of_columns_is_answered_from_what_was_counted(client_of, team, monkeypatch, asked, words):
    """Between the parts and the sets around it; no table is opened for it."""
    around = "+".join(WIDE[:70])
    version = wide(team, **{"age+zip": 0.2, around: 0.6})

    def opened(*_given, **_said):
        raise AssertionError("a table was opened")

    monkeypatch.setattr("stewardapp.storage.reading", opened)
    monkeypatch.setattr("stewardapp.storage.opened", opened)
    answer = client_of(team.steward).get(f"/versions/{version.pk}/identifying/", {"c": [*asked]})
    assert f">{words}</span>" in tight(answer.content.decode())


def test_a_set_around_one_that_tells_all_rows_apart_is_known(client_of, team):
    """Also where it was not counted itself: more cannot be told apart."""
    version = wide(team, **{"age+zip": 1.0})
    answer = client_of(team.steward).get(f"/versions/{version.pk}/identifying/", {"c": [0, 1, 2]})
    assert ">100\u00a0%</span>" in tight(answer.content.decode())


def test_a_set_that_nothing_is_known_of_says_so(client_of, team):
    version = wide(team)
    version.columns.update(sealed_profile=None)
    answer = client_of(team.steward).get(f"/versions/{version.pk}/identifying/", {"c": [0, 1]})
    assert "not known" in answer.content.decode()
