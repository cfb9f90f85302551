"""What Windows calls time zones, for calendars of Outlook and Exchange that do not explain them."""

from __future__ import annotations

from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

# A town of the zone by its name, without the "Standard Time" at the end.
_TOWNS: Final = {
    "Afghanistan": "Asia/Kabul", "Alaskan": "America/Anchorage", "Arab": "Asia/Riyadh",
    "Arabian": "Asia/Dubai", "Arabic": "Asia/Baghdad", "Argentina": "America/Buenos_Aires",
    "Atlantic": "America/Halifax", "AUS Central": "Australia/Darwin",
    "AUS Eastern": "Australia/Sydney", "Azerbaijan": "Asia/Baku", "Azores": "Atlantic/Azores",
    "Bahia": "America/Bahia", "Bangladesh": "Asia/Dhaka", "Belarus": "Europe/Minsk",
    "Canada Central": "America/Regina", "Cape Verde": "Atlantic/Cape_Verde",
    "Caucasus": "Asia/Yerevan", "Cen. Australia": "Australia/Adelaide",
    "Central": "America/Chicago", "Central America": "America/Guatemala",
    "Central Asia": "Asia/Bishkek", "Central Brazilian": "America/Cuiaba",
    "Central Europe": "Europe/Budapest", "Central European": "Europe/Warsaw",
    "Central Pacific": "Pacific/Guadalcanal", "China": "Asia/Shanghai",
    "E. Africa": "Africa/Nairobi", "E. Australia": "Australia/Brisbane",
    "E. Europe": "Europe/Chisinau", "E. South America": "America/Sao_Paulo",
    "Eastern": "America/New_York", "Egypt": "Africa/Cairo", "Ekaterinburg": "Asia/Yekaterinburg",
    "Fiji": "Pacific/Fiji", "FLE": "Europe/Kiev", "Georgian": "Asia/Tbilisi",
    "GMT": "Europe/London", "Greenland": "America/Godthab", "Greenwich": "Atlantic/Reykjavik",
    "GTB": "Europe/Bucharest", "Hawaiian": "Pacific/Honolulu", "India": "Asia/Calcutta",
    "Iran": "Asia/Tehran", "Israel": "Asia/Jerusalem", "Jordan": "Asia/Amman",
    "Kaliningrad": "Europe/Kaliningrad", "Korea": "Asia/Seoul", "Mauritius": "Indian/Mauritius",
    "Middle East": "Asia/Beirut", "Montevideo": "America/Montevideo",
    "Morocco": "Africa/Casablanca", "Mountain": "America/Denver", "Myanmar": "Asia/Rangoon",
    "N. Central Asia": "Asia/Novosibirsk", "Namibia": "Africa/Windhoek",
    "Nepal": "Asia/Katmandu", "New Zealand": "Pacific/Auckland",
    "Newfoundland": "America/St_Johns", "North Asia": "Asia/Krasnoyarsk",
    "North Asia East": "Asia/Irkutsk", "Pacific": "America/Los_Angeles",
    "Pacific SA": "America/Santiago", "Pakistan": "Asia/Karachi", "Romance": "Europe/Paris",
    "Russian": "Europe/Moscow", "SA Eastern": "America/Cayenne", "SA Pacific": "America/Bogota",
    "SA Western": "America/La_Paz", "SE Asia": "Asia/Bangkok", "Singapore": "Asia/Singapore",
    "South Africa": "Africa/Johannesburg", "Sri Lanka": "Asia/Colombo", "Syria": "Asia/Damascus",
    "Taipei": "Asia/Taipei", "Tasmania": "Australia/Hobart", "Tokyo": "Asia/Tokyo",
    "Tonga": "Pacific/Tongatapu", "Turkey": "Europe/Istanbul", "US Eastern": "America/Indianapolis",
    "US Mountain": "America/Phoenix", "Venezuela": "America/Caracas",
    "Vladivostok": "Asia/Vladivostok", "W. Australia": "Australia/Perth",
    "W. Central Africa": "Africa/Lagos", "W. Europe": "Europe/Berlin",
    "West Asia": "Asia/Tashkent", "West Pacific": "Pacific/Port_Moresby",
    "Yakutsk": "Asia/Yakutsk",
}  # fmt: skip
_BY_NAME: Final = {name.casefold(): town for name, town in _TOWNS.items()}


def windows_zone(name: str) -> ZoneInfo | None:
    """Return the zone of a name such as ``W. Europe Standard Time``; None if there is none."""
    bare = name.strip().casefold().removesuffix(" standard time").removesuffix(" daylight time")
    town = _BY_NAME.get(bare) if bare != name.strip().casefold() else None
    try:
        return ZoneInfo(town) if town else None
    except (ZoneInfoNotFoundError, ValueError, OSError):  # this machine has fewer zones
        return None
