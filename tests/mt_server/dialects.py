"""Each provider's side of its format, written from its documentation and not from our adapters.

A dialect checks what it is sent as the provider would: address, key, signature, parameters. Keys are made at run time.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from mt_server.server import Denied, Received, Reply

__all__ = ["DIALECTS", "Dialect"]


def need(condition: bool, what: str) -> None:
    if not condition:
        raise Denied(what)


class Dialect(ABC):
    kind = ""
    base = ""
    spec = ""
    shows_order = False
    keys: Sequence[str] = ()

    def __init__(self) -> None:
        self.environment = {name: secrets.token_hex(16) for name in self.keys}
        self.options: dict[str, Any] = {}

    @abstractmethod
    def texts(self, received: Received) -> list[str]: ...

    @abstractmethod
    def good(self, pairs: Sequence[tuple[str, str]], received: Received) -> Any: ...

    def rate_limit(self) -> Reply:
        return Reply(429, {"message": "too many requests"})

    def quota(self) -> Reply:
        return Reply(402, {"message": "payment required"})

    def refusal(self) -> Reply:
        return Reply(400, {"message": "bad text"})

    def free_reply(self, received: Received) -> Reply | None:
        return None

    def key(self, number: int = 0) -> str:
        return self.environment[self.keys[number]]


class DeepL(Dialect):
    kind = "deepl"
    keys = ("DEEPL_AUTH_KEY",)

    def texts(self, received: Received) -> list[str]:
        need((received.method, received.path) == ("POST", "/v2/translate"), received.path)
        need(received.headers["authorization"] == f"DeepL-Auth-Key {self.key()}", "key")
        body = received.json
        need((body["source_lang"], body["target_lang"]) == ("EN", "ZH-HANS"), "languages")
        need(1 <= len(body["text"]) <= 50 and len(received.body) <= 128 * 1024, "size")
        return list(body["text"])

    def good(self, pairs: Sequence[tuple[str, str]], received: Received) -> Any:
        return {"translations": [{"detected_source_language": "EN", "text": t} for _, t in pairs]}

    def rate_limit(self) -> Reply:
        return Reply(529, {"message": "Too many requests"})

    def quota(self) -> Reply:
        return Reply(456, {"message": "Quota for this billing period has been exceeded"})


class Google(Dialect):
    kind = "google"
    keys = ("GOOGLE_API_KEY",)

    def texts(self, received: Received) -> list[str]:
        need((received.method, received.path) == ("POST", "/language/translate/v2"), received.path)
        need(received.headers["x-goog-api-key"] == self.key() and not received.query, "key")
        body = received.json
        need((body["source"], body["target"], body["format"]) == ("en", "zh-CN", "text"), "parameters")
        need(1 <= len(body["q"]) <= 128, "size")
        return list(body["q"])

    def good(self, pairs: Sequence[tuple[str, str]], received: Received) -> Any:
        return {"data": {"translations": [{"translatedText": t} for _, t in pairs]}}

    def _error(self, reason: str, message: str) -> Reply:
        return Reply(
            403, {"error": {"code": 403, "message": message, "errors": [{"domain": "usageLimits", "reason": reason, "message": message}]}}
        )

    def rate_limit(self) -> Reply:
        return self._error("userRateLimitExceeded", "User Rate Limit Exceeded")

    def quota(self) -> Reply:
        return self._error("dailyLimitExceeded", "Daily Limit Exceeded")


class GoogleV3(Dialect):
    kind = "google-v3"
    keys = ("GOOGLE_ACCESS_TOKEN",)

    def __init__(self) -> None:
        super().__init__()
        self.environment["GOOGLE_CLOUD_PROJECT"] = "some-project"

    def texts(self, received: Received) -> list[str]:
        need((received.method, received.path) == ("POST", "/v3/projects/some-project/locations/global:translateText"), received.path)
        need(received.headers["authorization"] == f"Bearer {self.key()}", "key")
        body = received.json
        need((body["sourceLanguageCode"], body["targetLanguageCode"], body["mimeType"]) == ("en", "zh-CN", "text/plain"), "parameters")
        need(len(body["contents"]) <= 1024 and sum(map(len, body["contents"])) <= 30_720, "size")
        return list(body["contents"])

    def good(self, pairs: Sequence[tuple[str, str]], received: Received) -> Any:
        return {"translations": [{"translatedText": t, "model": "general/nmt"} for _, t in pairs]}

    def rate_limit(self) -> Reply:
        return Reply(429, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota exceeded for characters per minute"}})

    def quota(self) -> Reply:
        return Reply(429, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota exceeded for characters per day"}})


class Azure(Dialect):
    kind = "azure"
    keys = ("AZURE_TRANSLATOR_KEY",)

    def __init__(self) -> None:
        super().__init__()
        self.environment["AZURE_TRANSLATOR_REGION"] = "westeurope"

    def texts(self, received: Received) -> list[str]:
        need((received.method, received.path) == ("POST", "/translate"), received.path)
        need(received.headers["ocp-apim-subscription-key"] == self.key(), "key")
        need(received.headers["ocp-apim-subscription-region"] == "westeurope", "region")
        need(received.query["api-version"] == ["3.0"] and received.query["from"] == ["en"] and received.query["to"] == ["zh-Hans"], "query")
        texts = [entry["Text"] for entry in received.json]
        need(len(texts) <= 1000 and sum(map(len, texts)) <= 50_000, "size")
        return texts

    def good(self, pairs: Sequence[tuple[str, str]], received: Received) -> Any:
        return [{"translations": [{"text": t, "to": "zh-Hans"}]} for _, t in pairs]

    def rate_limit(self) -> Reply:
        return Reply(429, {"error": {"code": 429001, "message": "The server rejected the request: characters per minute"}})

    def quota(self) -> Reply:
        return Reply(
            403, {"error": {"code": 403001, "message": "The operation isn't allowed because the subscription has exceeded its free quota"}}
        )

    def refusal(self) -> Reply:
        return Reply(400, {"error": {"code": 400077, "message": "The maximum request size has been exceeded"}})


class Amazon(Dialect):
    kind = "amazon"
    keys = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")

    def __init__(self) -> None:
        super().__init__()
        self.environment["AWS_REGION"] = "eu-central-1"

    def texts(self, received: Received) -> list[str]:
        need((received.method, received.path) == ("POST", "/"), received.path)
        need(received.headers["x-amz-target"] == "AWSShineFrontendService_20170701.TranslateText", "target")
        need(received.headers["content-type"] == "application/x-amz-json-1.1", "content type")
        self._check_signature(received)
        body = received.json
        need((body["SourceLanguageCode"], body["TargetLanguageCode"]) == ("en", "zh"), "languages")
        need(len(body["Text"].encode()) <= 10_000, "size")
        return [body["Text"]]

    def _check_signature(self, received: Received) -> None:
        """As the service does it: with the SDK's own signer, over what arrived."""
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials

        given = received.headers["authorization"]
        need(given.startswith(f"AWS4-HMAC-SHA256 Credential={self.key(0)}/"), "credential")
        names = given.split("SignedHeaders=")[1].split(",")[0].split(";")
        request = AWSRequest("POST", f"http://{received.headers['host']}/", {n: received.headers[n] for n in names}, received.body)
        request.context["timestamp"] = received.headers["x-amz-date"]
        signer = SigV4Auth(Credentials(self.key(0), self.key(1)), "translate", "eu-central-1")
        proof = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
        need(given.endswith(f"Signature={proof}"), "signature")

    def good(self, pairs: Sequence[tuple[str, str]], received: Received) -> Any:
        # One text a request: "one short" is an answer without its translation.
        return (
            {"TranslatedText": pairs[0][1], "SourceLanguageCode": "en", "TargetLanguageCode": "zh"}
            if pairs
            else {"SourceLanguageCode": "en"}
        )

    def rate_limit(self) -> Reply:
        return Reply(400, {"__type": "ThrottlingException", "message": "Rate exceeded"})

    def quota(self) -> Reply:
        return Reply(400, {"__type": "SubscriptionRequiredException", "Message": "The access key needs a subscription"})

    def refusal(self) -> Reply:
        return Reply(400, {"__type": "com.amazonaws#TextSizeLimitExceededException", "Message": "too long"})


class Baidu(Dialect):
    kind = "baidu"
    shows_order = True
    keys = ("BAIDU_APP_ID", "BAIDU_APP_KEY")

    def texts(self, received: Received) -> list[str]:
        need((received.method, received.path) == ("POST", "/api/trans/vip/translate"), received.path)
        form = dict(received.form)
        need(form["appid"] == self.key(0), "appid")
        proof = hashlib.md5((form["appid"] + form["q"] + form["salt"] + self.key(1)).encode()).hexdigest()
        need(form["sign"] == proof, "signature")
        need((form["from"], form["to"]) == ("en", "zh"), "languages")
        need(len(form["q"].encode()) <= 6_000, "size")
        return form["q"].split("\n")

    def good(self, pairs: Sequence[tuple[str, str]], received: Received) -> Any:
        return {"from": "en", "to": "zh", "trans_result": [{"src": s, "dst": t} for s, t in pairs]}

    def rate_limit(self) -> Reply:
        return Reply(200, {"error_code": "54003", "error_msg": "Invalid Access Limit"})

    def quota(self) -> Reply:
        return Reply(200, {"error_code": "54004", "error_msg": "Please recharge"})

    def refusal(self) -> Reply:
        return Reply(200, {"error_code": "20003", "error_msg": "please check your content"})


class Youdao(Dialect):
    kind = "youdao"
    shows_order = True
    keys = ("YOUDAO_APP_KEY", "YOUDAO_APP_SECRET")

    def __init__(self) -> None:
        super().__init__()
        self._salts: set[str] = set()

    def texts(self, received: Received) -> list[str]:
        need((received.method, received.path) == ("POST", "/v2/api"), received.path)
        form = dict(received.form)
        texts = [value for name, value in received.form if name == "q"]
        joined = "".join(texts)
        part = joined if len(joined) <= 20 else joined[:10] + str(len(joined)) + joined[-10:]
        proof = hashlib.sha256((self.key(0) + part + form["salt"] + form["curtime"] + self.key(1)).encode()).hexdigest()
        need(form["sign"] == proof and form["signType"] == "v3" and form["appKey"] == self.key(0), "signature")
        need(form["salt"] not in self._salts, "replayed salt")
        need(abs(int(form["curtime"]) - time.time()) < 300, "time")
        self._salts.add(form["salt"])
        need((form["from"], form["to"]) == ("en", "zh-CHS"), "languages")
        need(len(joined) <= 5_000, "size")
        return texts

    def good(self, pairs: Sequence[tuple[str, str]], received: Received) -> Any:
        return {"errorCode": "0", "translateResults": [{"query": s, "translation": t, "type": "en2zh-CHS"} for s, t in pairs]}

    def rate_limit(self) -> Reply:
        return Reply(200, {"errorCode": "411"})

    def quota(self) -> Reply:
        return Reply(200, {"errorCode": "401"})

    def refusal(self) -> Reply:
        return Reply(200, {"errorCode": "103"})


class LibreTranslate(Dialect):
    kind = "libretranslate"
    keys = ("LIBRETRANSLATE_API_KEY",)

    def free_reply(self, received: Received) -> Reply | None:
        if received.path == "/languages":
            return Reply(200, [{"code": c, "name": c, "targets": ["en", "zh-Hans", "fr"]} for c in ("en", "zh-Hans", "fr")])
        return None

    def texts(self, received: Received) -> list[str]:
        need((received.method, received.path) == ("POST", "/translate"), received.path)
        body = received.json
        need(body["api_key"] == self.key(), "key")
        need((body["source"], body["target"], body["format"]) == ("en", "zh-Hans", "text"), "parameters")
        return list(body["q"])

    def good(self, pairs: Sequence[tuple[str, str]], received: Received) -> Any:
        return {"translatedText": [t for _, t in pairs]}

    def rate_limit(self) -> Reply:
        return Reply(429, {"error": "Too many request limits violations"})

    def refusal(self) -> Reply:
        return Reply(400, {"error": "Invalid request: request exceeds text limit"})


class Apy(Dialect):
    kind = "apy"

    def free_reply(self, received: Received) -> Reply | None:
        if received.path == "/listPairs":
            pairs = [{"sourceLanguage": "eng", "targetLanguage": "zho"}, {"sourceLanguage": "eng", "targetLanguage": "spa"}]
            return Reply(200, {"responseStatus": 200, "responseDetails": None, "responseData": pairs})
        return None

    def texts(self, received: Received) -> list[str]:
        need((received.method, received.path) == ("POST", "/translate"), received.path)
        form = dict(received.form)
        need(form["langpair"] == "eng|zho" and form["format"] == "txt" and form["markUnknown"] == "no", "parameters")
        return [form["q"]]

    def good(self, pairs: Sequence[tuple[str, str]], received: Received) -> Any:
        data = {"translatedText": pairs[0][1]} if pairs else {}
        return {"responseData": data, "responseDetails": None, "responseStatus": 200}

    def rate_limit(self) -> Reply:
        return Reply(503, {"status": "error", "code": 503, "message": "Service Unavailable", "explanation": "internal error"})

    def refusal(self) -> Reply:
        return Reply(400, {"status": "error", "code": 400, "message": "Bad Request", "explanation": "That text is odd"})


class ModernMT(Dialect):
    kind = "modernmt"
    keys = ("MODERNMT_API_KEY",)

    def texts(self, received: Received) -> list[str]:
        need((received.method, received.path) == ("POST", "/translate"), received.path)
        need(received.headers["mmt-apikey"] == self.key(), "key")
        need(received.headers["x-http-method-override"] == "GET", "method override")
        body = received.json
        need((body["source"], body["target"]) == ("en", "zh-CN"), "languages")
        need(len(body["q"]) <= 128, "size")
        return list(body["q"])

    def good(self, pairs: Sequence[tuple[str, str]], received: Received) -> Any:
        return {"status": 200, "data": [{"translation": t, "characters": len(s), "billedCharacters": len(s)} for s, t in pairs]}

    def quota(self) -> Reply:
        return Reply(403, {"status": 403, "error": {"type": "PlanLimitException", "message": "Plan limit reached"}})


class OpenAI(Dialect):
    kind = "openai"
    base = "/v1"
    spec = ":test-model"
    keys = ("OPENAI_API_KEY",)

    def __init__(self) -> None:
        super().__init__()
        self.options = {"prompt": "From {source} to {target}: {text}"}

    def texts(self, received: Received) -> list[str]:
        need((received.method, received.path) == ("POST", "/v1/chat/completions"), received.path)
        need(received.headers["authorization"] == f"Bearer {self.key()}", "key")
        body = received.json
        need(body["model"] == "test-model" and body["temperature"] == 0, "parameters")
        (message,) = body["messages"]
        head = "From English to Chinese: "
        need(message["content"].startswith(head), "prompt")
        return [message["content"].removeprefix(head)]

    def good(self, pairs: Sequence[tuple[str, str]], received: Received) -> Any:
        choices = [{"index": 0, "message": {"role": "assistant", "content": t}, "finish_reason": "stop"} for _, t in pairs]
        return {"choices": choices, "usage": {"prompt_tokens": 20, "completion_tokens": 10}}

    def rate_limit(self) -> Reply:
        return Reply(429, {"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}})

    def quota(self) -> Reply:
        return Reply(429, {"error": {"message": "You exceeded your quota", "type": "insufficient_quota", "code": "insufficient_quota"}})

    def refusal(self) -> Reply:
        return Reply(400, {"error": {"message": "filtered", "type": "invalid_request_error", "code": "content_filter"}})


class Described(Dialect):
    kind = "http"
    keys = ("OWN_ENGINE_KEY",)
    base = "/own/engine"

    def __init__(self) -> None:
        super().__init__()
        self.options: dict[str, Any] = {
            "headers": {"X-Key": "${OWN_ENGINE_KEY}"},
            "body": {"job": {"texts": "${texts}", "way": "${source}>${target}"}},
            "answer": "result.items[*].text",
            "languages": {"en": "en", "zh": "chi"},
        }

    def texts(self, received: Received) -> list[str]:
        need((received.method, received.path) == ("POST", "/own/engine"), received.path)
        need(received.headers["x-key"] == self.key(), "key")
        need(received.json["job"]["way"] == "en>chi", "languages")
        return list(received.json["job"]["texts"])

    def good(self, pairs: Sequence[tuple[str, str]], received: Received) -> Any:
        return {"result": {"items": [{"text": t} for _, t in pairs]}}


DIALECTS: Mapping[str, type[Dialect]] = {
    d.kind: d for d in (DeepL, Google, GoogleV3, Azure, Amazon, Baidu, Youdao, LibreTranslate, Apy, ModernMT, OpenAI, Described)
}
