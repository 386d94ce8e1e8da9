"""What the library says, in the words of the system."""

import pytest
from boto3.exceptions import S3UploadFailedError
from botocore.exceptions import ClientError, EndpointConnectionError

from stewardapp.full_disk import is_disk_full
from stewardapp.store_away import StoreAway
from stewardapp.stores import trouble


def said(code: str, status: int) -> ClientError:
    answer = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(answer, "PutObject")  # type: ignore[arg-type]


def test_missing_full_and_away() -> None:
    assert isinstance(trouble.translated(said("NoSuchKey", 404)), FileNotFoundError)
    assert is_disk_full(trouble.translated(said("QuotaExceeded", 403)))
    assert is_disk_full(trouble.translated(said("", 507)))
    for away in (said("NoSuchBucket", 404), said("AccessDenied", 403), said("SlowDown", 503)):
        assert isinstance(trouble.translated(away), StoreAway)
    assert isinstance(trouble.translated(EndpointConnectionError(endpoint_url="http://a")), StoreAway)


def test_a_wrapped_error_says_what_it_wraps() -> None:
    def upload() -> None:
        try:
            raise said("InsufficientStorage", 507)
        except ClientError:
            raise S3UploadFailedError("failed")  # noqa: B904 - as the library does

    with pytest.raises(OSError, match="no room"), trouble.in_words():
        upload()
