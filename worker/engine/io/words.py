"""Words in column names that hint at a role, in a few languages.

A name is cut into words at every mark and every change of case; accents do not matter. The first row that
shares a word with the name wins, so the order goes from what singles out a person to what is shared by many.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from worker.engine.tables.kinds import Role


class Hint(NamedTuple):
    """A role, and why."""

    role: Role
    reason: str


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HINTS: tuple[tuple[Hint, frozenset[str]], ...] = (
    (
        Hint(Role.CONSENT, "called like an agreement"),
        _words(
            "consent consented agreed agreement einwilligung zustimmung consentement "
            "consentimiento consenso"
        ),
    ),
    (
        Hint(Role.HOUSEHOLD_KEY, "called like the number of a household"),
        _words(
            "household householdid hhid hid hhnum hh haushalt menage hogar famiglia hushall "
            "huishouden"
        ),
    ),
    (
        Hint(Role.DIRECT_IDENTIFIER, "called like an e-mail or web address"),
        _words(
            "email mail emailaddress website url homepage ip ipaddress username login twitter "
            "handle correo"
        ),
    ),
    (
        Hint(Role.DIRECT_IDENTIFIER, "called like a telephone number"),
        _words(
            "phone telephone mobile phonenumber telefon handy portable telefono movil cellulare "
            "fax telefoon"
        ),
    ),
    (
        Hint(Role.DIRECT_IDENTIFIER, "called like an official number"),
        _words(
            "ssn passport socialsecurity iban nhs nino medicare mrn licence license steuernummer "
            "ausweis versichertennummer sozialversicherungsnummer nir dni nie codicefiscale "
            "personnummer bsn cpr account"
        ),
    ),
    (
        Hint(Role.DIRECT_IDENTIFIER, "called like an address"),
        _words(
            "street address addr strasse adresse anschrift hausnummer rue direccion calle "
            "indirizzo via gata straat"
        ),
    ),
    (
        Hint(Role.QUASI_IDENTIFIER, "called like a position on the map"),
        _words(
            "latitude longitude lat lon lng gps coordinates geo geocode easting northing"
        ),
    ),
    (
        Hint(Role.QUASI_IDENTIFIER, "date of birth"),
        _words(
            "birth dob birthdate birthday dateofbirth born geburt geburtsdatum geburtstag geboren "
            "naissance nacimiento nascita fodelse geboorte geboortedatum yob birthyear "
            "geburtsjahr"
        ),
    ),
    (
        Hint(Role.QUASI_IDENTIFIER, "postal code"),
        _words(
            "zip zipcode postcode postalcode postal plz postleitzahl codepostal codigopostal cap "
            "postnummer"
        ),
    ),
    (
        Hint(Role.SENSITIVE, "medical terms"),
        _words(
            "diagnosis diagnoses disease illness condition icd icd10 symptom symptoms medication "
            "drug drugs therapy treatment surgery hiv cancer bmi blood cholesterol ldl hdl "
            "pressure glucose disability diagnose krankheit medikament befund behandlung maladie "
            "diagnostic traitement enfermedad diagnostico malattia diagnosi sjukdom ziekte"
        ),
    ),
    (
        Hint(Role.SENSITIVE, "a special category of personal data"),
        _words(
            "religion faith confession konfession politics party vote union sexual orientation "
            "crime conviction offence genetic dna biometric vorstrafe partei gewerkschaft "
            "croyance"
        ),
    ),
    (
        Hint(Role.SENSITIVE, "income or wealth"),
        _words(
            "income salary wage wages earnings pay payment debt loan wealth assets savings rent "
            "pension benefit benefits turnover revenue expenditure expend tax einkommen gehalt "
            "lohn vermogen schulden miete umsatz revenu salaire dette ingresos salario sueldo "
            "reddito stipendio inkomst inkomen loon"
        ),
    ),
    (
        Hint(Role.QUASI_IDENTIFIER, "something that others know about a person"),
        _words(
            "age sex gender race marstat ethni educ ethnic ethnicity nationality citizenship country region "
            "province state county city town municipality district village urbrur education degree school "
            "occupation job profession employer workclass industry marital maritalstatus "
            "civilstatus children language relation relationship alter geschlecht herkunft "
            "staatsangehorigkeit land bundesland kreis gemeinde stadt ort bildung schulabschluss "
            "beruf familienstand kinder sprache sexe genre pays ville commune departement metier "
            "nationalite edad sexo pais ciudad municipio provincia ocupacion estudios eta sesso "
            "paese citta comune professione kon alder kommun yrke leeftijd geslacht gemeente "
            "beroep hhcivil relat"
        ),
    ),
    (
        Hint(Role.WEIGHT, "called like a sampling weight"),
        _words(
            "weight weights wt wgt pweight samplingweight sampweight hochrechnung gewicht poids "
            "ponderation peso ponderacion fnlwgt afnlwgt"
        ),
    ),
)  # fmt: skip

KEY_WORDS = _words(
    "id key pid uid uuid guid number no nr num nummer numero identifier code kennung "
    "schlussel record recordid ref reference"
)
PERSON_WORDS = _words(
    "person pid patient client customer member respondent subject employee student "
    "personid patientid user citizen versicherter kunde proband teilnehmer "
    "personne cliente paciente paziente"
)  # fmt: skip
NAME_WORDS = _words(
    "name names firstname lastname fullname surname forename givenname familyname "
    "vorname nachname familienname nom prenom nombre apellido apellidos cognome "
    "fornamn efternamn voornaam achternaam maiden"
)


def words_of(name: str) -> tuple[str, ...]:
    """The words of a column's name: `dateOfBirth`, `DATE_OF_BIRTH` and `date.of.birth` give the same."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    plain = unicodedata.normalize("NFKD", split.casefold())
    letters = "".join(char for char in plain if not unicodedata.combining(char))
    return tuple(re.findall(r"[^\W\d_]+", letters))


def _forms(name: str) -> frozenset[str]:
    """The words, each without a plural s too, and all of them run together."""
    words = words_of(name)
    return frozenset((*words, *(word.removesuffix("s") for word in words), "".join(words)))


def hint_of(name: str) -> Hint | None:
    """What the name alone says."""
    words = _forms(name)
    return next((hint for hint, known in HINTS if words & known), None)


def says(name: str, known: frozenset[str]) -> bool:
    """Whether the name holds one of these words."""
    return bool(known & _forms(name))
