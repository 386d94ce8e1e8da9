"""A signed-in person without a browser: plain HTTP, byte by byte."""

from __future__ import annotations

import base64
import http.client
import re
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from tests.functional.desk import Desk, until

PIECE_TYPE = "application/offset+octet-stream"


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    headers: http.client.HTTPMessage
    text: str

    @property
    def location(self) -> str:
        return str(self.headers["Location"])


class Wire:
    """One session; every request has a connection of its own."""

    def __init__(self, desk: Desk, role: str) -> None:
        self.desk = desk
        self.cookies: dict[str, str] = {}
        user, password = desk.personas[role]
        self.get("/accounts/login/")
        answer = self.post("/accounts/login/", login=user, password=password)
        assert (answer.status, answer.location) == (302, "/"), answer.text

    def get(self, path: str) -> Answer:
        return self.send("GET", path)

    def post(self, path: str, **fields: str) -> Answer:
        """Send a form."""
        body = urlencode(fields).encode()
        return self.send("POST", path, [body], **{"Content-Type": "application/x-www-form-urlencoded"})

    def send(self, method: str, path: str, body: Iterable[bytes] = (), **headers: str) -> Answer:
        """Send a request whose length is known from its parts, or said in the headers."""
        parts = body if isinstance(body, list) else None
        length = {"Content-Length": str(sum(map(len, parts)))} if parts is not None else {}
        connection = self.open(method, path, **{**length, **headers})
        for part in body:
            connection.send(part)
        return self.answer(connection)

    def open(self, method: str, path: str, **headers: str) -> http.client.HTTPConnection:
        """Send the head of a request; the body is up to the caller."""
        connection = http.client.HTTPConnection("127.0.0.1", self.desk.port, timeout=120)
        connection.putrequest(method, path)
        connection.putheader("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        connection.putheader("X-CSRFToken", self.cookies.get("steward_csrf", ""))
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        return connection

    def answer(self, connection: http.client.HTTPConnection) -> Answer:
        """Read the answer, keep its cookies, and hang up."""
        with closing(connection), connection.getresponse() as response:
            for line in response.headers.get_all("Set-Cookie", []):
                self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(line).items()}
            return Answer(response.status, response.headers, response.read().decode())

    # Uploads

    def dataset(self, name: str) -> str:
        """Name a new dataset; its id."""
        page = self.get("/datasets/new/").text
        [project] = re.findall(r'<select name="project".*?<option value="([^"]+)"', page, re.S)
        answer = self.post("/datasets/new/", project=project, name=name, new_population=f"People of {name}")
        assert answer.status == 302, answer.text
        return answer.location.split("/")[2]

    def begin(self, dataset: str, length: int) -> Answer:
        """Announce a file."""
        said = {"filename": "survey.csv", "dataset": dataset}
        pairs = (f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in said.items())
        headers = {"Upload-Length": str(length), "Upload-Metadata": ",".join(pairs)}
        return self.send("POST", "/uploads/", [], **{"Tus-Resumable": "1.0.0", **headers})

    def piece(self, upload: str, offset: int, length: int) -> http.client.HTTPConnection:
        """Open the way for the next bytes."""
        headers = {"Content-Type": PIECE_TYPE, "Upload-Offset": str(offset), "Content-Length": str(length)}
        return self.open("PATCH", upload, **{"Tus-Resumable": "1.0.0", **headers})

    def patch(self, upload: str, offset: int, body: bytes) -> Answer:
        """Send the next bytes."""
        connection = self.piece(upload, offset, len(body))
        connection.send(body)
        return self.answer(connection)

    def offset(self, upload: str) -> int:
        """How much has arrived, once nobody is writing any more."""
        settled = until(lambda: self._head(upload), 60, "the upload says where it stands")
        return int(str(settled).removeprefix("at "))

    def _head(self, upload: str) -> str:
        answer = self.send("HEAD", upload)
        return f"at {answer.headers['Upload-Offset']}" if answer.status == 200 else ""
