"""The pages as a browser without scripts sees them: forms with their fields, and what pressing a button sends."""

from __future__ import annotations

from html.parser import HTMLParser

import msgspec


class Field(msgspec.Struct):
    name: str
    value: str
    kind: str  # hidden, text, radio, checkbox, select
    chosen: bool = True


class Button(msgspec.Struct):
    name: str
    value: str
    usable: bool
    inside: str  # the classes of the fieldset that it is in
    text: str = ""


class Form(msgspec.Struct):
    id: str
    method: str
    action: str
    fields: list[Field] = []
    buttons: list[Button] = []

    def sends(self, button: Button | None = None, **chosen: str) -> dict[str, str]:
        """What is sent when a button is pressed, with these fields filled in or chosen."""
        sent = {field.name: field.value for field in self.fields if field.chosen}
        known = {field.name for field in self.fields}
        assert set(chosen) <= known, f"there is no field {set(chosen) - known}"
        sent.update(chosen)
        if button is not None and button.name:
            sent[button.name] = button.value
        return sent

    def kind(self) -> str:
        """Of which command this is the form."""
        return next((field.value for field in self.fields if field.name == "type"), "")


class PageForms(HTMLParser):
    """Reads a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.text: list[str] = []
        self.ids: list[str] = []
        self.loose: list[tuple[str, Field]] = []  # fields that name their form
        self.open_form: Form | None = None
        self.fieldset = ""
        self.button: Button | None = None
        self.select: Field | None = None
        self.feed(html)
        for owner, field in self.loose:
            next(form for form in self.forms if form.id == owner).fields.append(field)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "form":
            self.open_form = Form(given.get("id", ""), given.get("method", "get"), given.get("action", ""))
            self.forms.append(self.open_form)
        elif tag == "fieldset":
            self.fieldset = given.get("class", "")
        elif tag == "input":
            self.take_input(given)
        elif tag == "select":
            self.select = Field(given.get("name", ""), "", "select", False)
        elif tag == "option" and self.select is not None:
            if "selected" in given or not self.select.chosen:
                self.select.value = given.get("value", "")
                self.select.chosen = True
        elif tag == "button" and self.open_form is not None:
            usable = "disabled" not in given and given.get("aria-disabled") != "true"
            if given.get("type", "submit") == "submit":
                self.button = Button(given.get("name", ""), given.get("value", ""), usable, self.fieldset)
                self.open_form.buttons.append(self.button)

    def take_input(self, given: dict[str, str]) -> None:
        kind = given.get("type", "text")
        chosen = kind not in ("radio", "checkbox") or "checked" in given
        field = Field(given.get("name", ""), given.get("value", "on" if kind == "checkbox" else ""), kind, chosen)
        if "form" in given:
            self.loose.append((given["form"], field))
        elif self.open_form is not None and field.name:
            self.open_form.fields.append(field)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.open_form = None
        elif tag == "fieldset":
            self.fieldset = ""
        elif tag == "button":
            self.button = None
        elif tag == "select" and self.select is not None:
            if self.open_form is not None:
                self.open_form.fields.append(self.select)
            self.select = None

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self.button is not None:
            self.button.text += data

    def of(self, kind: str) -> list[Form]:
        """The forms of one command."""
        return [form for form in self.forms if form.kind() == kind]

    def at(self, action: str) -> Form:
        return next(form for form in self.forms if form.action == action)
