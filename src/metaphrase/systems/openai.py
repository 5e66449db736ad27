"""Any chat endpoint that speaks OpenAI's format: servers differ in the base address only.

One text a request, so that no answer can slip to another text. A model may refuse, talk about the translation instead of
giving it, or be cut off; none of that is a translation, and each is a failure with its reason.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from metaphrase.core.errors import ConfigurationError, QuotaError
from metaphrase.core.options import configured_by, read_options
from metaphrase.core.values import Translation
from metaphrase.systems.base import Limits
from metaphrase.systems.codes import NAMES, Codes
from metaphrase.systems.http import HttpOptions, HttpSystem
from metaphrase.systems.keys import Secret
from metaphrase.systems.prices import Price
from metaphrase.systems.wire import Again, Answer, Call, KeyNames, Refused, expect

__all__ = ["Chat", "OpenAIOptions", "chatter", "open_openai", "refusal"]

PROMPT = (
    "Translate the following text from {source} to {target}. Answer with the translation only: no quotation marks around it,"
    " no notes, no explanation.\n\n{text}"
)
# What a token holds on average differs by script; these are on the safe side for an estimate.
CHARACTERS_A_TOKEN = 3.0
OUTPUT_RATIO = 1.5

# Said about a translation, never in one unless the source says it too.
_PREFACE = re.compile(
    r"(?i)^\W*(?:sure|certainly|of course|okay|ok)\b[^\n]{0,80}:"
    r"|^\W*(?:here(?: is|'s|’s)|the|this is the) [^\n]{0,60}translat\w+[^\n]{0,60}:"
    r"|^\W*translation\s*(?:\([^)\n]*\))?\s*:"
    r"|^\W*(?:以下是|这是)[^\n]{0,20}(?:翻译|译文)[^\n]{0,10}[:：]|^\W*(?:翻译|译文)\s*[:：]"
)
_AFTERWORD = re.compile(r"(?im)^\W*(?:notes?|explanation|translator'?s note|alternatively|literally|注|说明|备注)\s*[:：]")
_REFUSAL = re.compile(
    r"(?i)\bas an? (?:ai|language model|assistant)\b"
    r"|\bi(?:'m| am|’m) (?:sorry|unable|not able)\b[^.\n]{0,60}\b(?:translat\w+|assist|help with|comply|request)\b"
    r"|\bi (?:can(?:'t|not|’t)|won(?:'t|’t)) (?:translate|assist|help with|comply|fulfil)\b"
    r"|(?:抱歉|对不起)[^。\n]{0,20}(?:无法|不能)(?:翻译|提供|协助)"
)


class OpenAIOptions(HttpOptions):
    model: str = ""
    prompt: str = PROMPT
    system_prompt: str | None = None
    temperature: float = Field(0.0, ge=0)
    max_tokens: int | None = Field(None, ge=1)
    seed: int | None = None
    needs_key: bool = True

    UNSIGNED = HttpOptions.UNSIGNED | {"needs_key"}


class Chat:
    """A prompt with the text in it; the answer is the message."""

    kind = "openai"
    url = "https://api.openai.com/v1"
    keys: KeyNames = (("OPENAI_API_KEY",),)
    limits = Limits(items=1, characters=20_000, concurrent=True)
    codes = Codes("the chat endpoint", "", own=NAMES)

    def __init__(self, options: OpenAIOptions) -> None:
        self._options = options

    def call(self, url: str, texts: Sequence[str], pair: tuple[str, str], keys: Sequence[Secret]) -> Call:
        (text,) = texts
        options = self._options
        prompt = _filled(options.prompt, source=pair[0], target=pair[1], text=text)
        messages = [{"role": "user", "content": prompt}]
        if options.system_prompt:
            messages.insert(0, {"role": "system", "content": _filled(options.system_prompt, source=pair[0], target=pair[1])})
        body: dict[str, Any] = {"model": options.model, "messages": messages, "temperature": options.temperature, "stream": False}
        if options.max_tokens is not None:
            body["max_tokens"] = options.max_tokens
        if options.seed is not None:
            body["seed"] = options.seed
        headers = {"Authorization": f"Bearer {keys[0].reveal()}"} if keys else {}
        return Call(f"{url}/chat/completions", headers=headers, json=body)

    def read(self, data: Any, texts: Sequence[str]) -> Sequence[Translation | None]:
        choice = data["choices"][0]
        message = choice["message"]
        if message.get("refusal"):
            return [Translation(None, f"the model refused: {_short(message['refusal'])}")]
        ending = choice.get("finish_reason")
        if ending == "content_filter":
            return [Translation(None, "the provider's content filter withheld the answer")]
        if ending == "length":
            return [Translation(None, "the answer was cut off: raise max-tokens")]
        expect(isinstance(message["content"], str), "the answer holds something else than text")
        text = message["content"].strip()
        return [_judged(text, texts[0])]

    def complain(self, answer: Answer) -> None:
        if answer.status < 400:
            return
        error = answer.data["error"]
        code, message = f"{error.get('code')} {error.get('type')}", str(error.get("message"))
        if "insufficient_quota" in code or "billing" in code:
            raise QuotaError(f"the quota is used up ({answer.status}): {message}")
        if answer.status == 429:
            raise Again(f"rate limit: {message}")
        if "content_filter" in code or "content_policy" in code:
            raise Refused(f"the provider's content filter refused the text: {message}")


class ChatSystem(HttpSystem):
    """Paid by the token: known after each answer, estimated before."""

    options: OpenAIOptions

    def estimate(self, texts: Sequence[str]) -> float | None:
        if self.price is None:
            return None
        if self.price.characters is not None:
            return super().estimate(texts)
        fixed = len(self.options.prompt) + len(self.options.system_prompt or "")
        tokens_in = sum((fixed + len(text)) / CHARACTERS_A_TOKEN for text in texts)
        tokens_out = sum(len(text) * OUTPUT_RATIO / CHARACTERS_A_TOKEN for text in texts)
        return self.price.of_tokens(tokens_in, tokens_out)

    def actual_cost(self, data: Any) -> float | None:
        price: Price | None = self.price
        usage = data.get("usage") if isinstance(data, dict) else None
        if price is None or price.tokens_in is None or not isinstance(usage, dict):
            return None
        try:
            return price.of_tokens(float(usage["prompt_tokens"]), float(usage["completion_tokens"]))
        except (KeyError, TypeError, ValueError):
            return None


def _judged(answer: str, source: str) -> Translation:
    if not answer:
        return Translation(None, "the model answered nothing")
    for found in (refusal(answer, source), chatter(answer, source)):
        if found:
            return Translation(None, found)
    return Translation(answer)


def refusal(answer: str, source: str) -> str | None:
    """Why an answer is a refusal. A source that speaks the same way may be translated that way."""
    if _REFUSAL.search(answer) and not _REFUSAL.search(source):
        return f"the model refused: {_short(answer)}"
    return None


def chatter(answer: str, source: str) -> str | None:
    """Why an answer is more than a translation."""
    if _PREFACE.search(answer) and not _PREFACE.search(source):
        return f"the model introduced its answer: {_short(answer)}"
    if _AFTERWORD.search(answer) and not _AFTERWORD.search(source):
        return f"the model commented on its answer: {_short(answer)}"
    if "```" in answer and "```" not in source:
        return f"the model wrapped its answer: {_short(answer)}"
    if _blocks(answer) > _blocks(source):
        return f"the model gave several paragraphs for one: {_short(answer)}"
    return None


def _blocks(text: str) -> int:
    return len([block for block in re.split(r"\n\s*\n", text) if block.strip()])


def _short(text: str) -> str:
    text = " ".join(str(text).split())
    return f"'{text[:80]}{'…' if len(text) > 80 else ''}'"


def _filled(template: str, **values: str) -> str:
    """Only our names are replaced: a text or a prompt may hold braces of its own."""
    return re.sub(r"\{(source|target|text)\}", lambda m: values.get(m[1], m[0]), template)


@configured_by(OpenAIOptions)
@configured_by(OpenAIOptions)
def open_openai(name: str, argument: str, options: Mapping[str, Any]) -> HttpSystem:
    table = name.split(":")[0]
    settings = read_options(OpenAIOptions, {**options, **({"model": argument} if argument else {})}, f"[system.{table}]")
    if not settings.model:
        raise ConfigurationError(f"the system '{name}' needs a model: openai:MODEL, or model = \"...\" in [system.{table}]")
    if "{text}" not in settings.prompt:
        raise ConfigurationError(f"[system.{table}] prompt has no {{text}} in it")
    wire = Chat(settings)
    base = os.environ.get("OPENAI_BASE_URL")
    if settings.url is None and base:
        settings = settings.model_copy(update={"url": base})
    if not settings.needs_key:
        wire.keys = ()
    return ChatSystem(name, wire, settings)
