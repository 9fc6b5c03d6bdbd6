"""What an app answered, and how users reply to it: with buttons, select menus and forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

Json = Any
FieldValue = Union[str, Sequence[str]]

_BUTTON = 2
_MENUS = (3, 5, 6, 7, 8)  # of texts, users, roles, mentionables and channels


@dataclass(frozen=True)
class Outcome:
    """The result of an interaction."""

    outcome: Optional[str]
    """answered, deferred, launched or failed; None if nothing was waited for."""
    reason: Optional[str]
    """Why it failed."""
    interaction: Json
    """What the app received."""
    response: Json
    """What the app answered."""
    messages: list[Json]
    """The messages that the user sees as a result."""
    choices: list[Json]
    """The suggestions for an option."""
    modal: Json
    """The form that the app opened, or None."""
    timings_ms: Mapping[str, float]
    """The time of each step, in milliseconds after the start."""

    @classmethod
    def of(cls, body: Mapping[str, Json]) -> Outcome:
        """Returns the outcome that the service has sent."""
        return cls(
            outcome=body.get("outcome"),
            reason=body.get("reason"),
            interaction=body.get("interaction"),
            response=body.get("response"),
            messages=body.get("messages") or [],
            choices=body.get("choices") or [],
            modal=body.get("modal"),
            timings_ms=body.get("timings_ms") or {},
        )

    @property
    def text(self) -> str:
        """The content of the first message, or an empty text."""
        return str(self.messages[0]["content"]) if self.messages else ""


def press(outcome: Outcome, button: str) -> dict[str, Json]:
    """Returns the interaction of a user who presses a button, which is named by its label, custom id or emoji."""

    def match(component: Json) -> bool:
        names = (component.get("label"), component.get("custom_id"), (component.get("emoji") or {}).get("name"))
        return component["type"] == _BUTTON and button in names

    message, component = _find(outcome, f"button {button!r}", match)
    return _component_use(message, component)


def select(outcome: Outcome, menu: str, values: Sequence[str]) -> dict[str, Json]:
    """Returns the interaction of a user who selects values in a menu, which is named by its placeholder or custom id."""

    def match(component: Json) -> bool:
        return component["type"] in _MENUS and menu in (component.get("placeholder"), component.get("custom_id"))

    message, component = _find(outcome, f"select menu {menu!r}", match)
    use = _component_use(message, component)
    use["interaction"]["data"]["values"] = _values(component, values)
    return use


def submit(outcome: Outcome, fields: Mapping[str, FieldValue]) -> dict[str, Json]:
    """Returns the interaction of a user who submits the form of an outcome. Fields are named by label or custom id."""
    form = outcome.modal
    if not form:
        raise LookupError("the answer opened no form")
    components = []
    for name, value in fields.items():
        field = _field(form, name)
        filled = {"type": field["type"], "custom_id": field["custom_id"]}
        if isinstance(value, str):
            filled["value"] = value
        else:
            filled["values"] = _values(field, value)
        components.append(filled)
    opened = outcome.interaction
    data = {"id": opened["id"], "custom_id": form["custom_id"], "components": components}
    return {
        "in": opened["channel_id"],
        "interaction": {"type": 5, "application_id": opened["application_id"], "data": data},
    }


def _component_use(message: Json, component: Json) -> dict[str, Json]:
    data = {"component_type": component["type"], "custom_id": component["custom_id"]}
    use = {"type": 3, "application_id": message["application_id"], "message_id": message["id"], "data": data}
    return {"in": message["channel_id"], "interaction": use}


def _find(outcome: Outcome, what: str, match: Callable[[Json], bool]) -> tuple[Json, Json]:
    """Returns the first component that matches, with its message."""
    for message in outcome.messages:
        for component in _walk(message.get("components") or []):
            if match(component):
                return message, component
    raise LookupError(f"the messages of the answer have no {what}")


def _field(form: Json, name: str) -> Json:
    for component in _walk(form["components"]):
        if name in (component.get("custom_id"), component.get("label")):
            return component.get("component") or component
    raise LookupError(f"the form {form['title']!r} has no field {name!r}")


def _walk(components: Sequence[Json]) -> Iterator[Json]:
    """Yields components at any depth, outer ones first."""
    for component in components:
        yield component
        inner = [*(component.get("components") or []), component.get("accessory"), component.get("component")]
        yield from _walk([part for part in inner if part])


def _values(menu: Json, names: Sequence[str]) -> list[str]:
    """Returns the values of options by their labels. Other names are values or ids already."""
    by_label = {option["label"]: option["value"] for option in menu.get("options") or []}
    return [by_label.get(name, name) for name in names]
