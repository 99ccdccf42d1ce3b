"""Settings as JSON values by name; `quizapp.settings.Settings` says what they may be."""

from __future__ import annotations

from sqlmodel import Field, SQLModel


class SettingRow(SQLModel, table=True):
    __tablename__ = "setting"

    name: str = Field(primary_key=True)
    value: str
