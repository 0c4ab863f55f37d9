"""As agents of shops, banks, calendars and help desks have them."""

import datetime
import decimal
import enum
import uuid
from dataclasses import dataclass
from typing import Annotated, Any, Dict, List, Literal, NamedTuple, Optional, Set, Tuple, TypedDict, Union

from toolhost_worker import tool


class Unit(enum.Enum):
    CELSIUS = "celsius"
    FAHRENHEIT = "fahrenheit"


class Priority(enum.IntEnum):
    LOW = 1
    HIGH = 2


@tool
def get_weather(city: str, unit: Unit = Unit.CELSIUS) -> Tuple[float, str]:
    """Get current temperature for a given location."""
    return 0.0, ""


@tool
def create_ticket(title: str, priority: Priority = Priority.LOW, labels: Optional[List[str]] = None) -> int:
    """Open a ticket of the help desk.

    Args:
        title: In one line.
        priority: 1 is low, 2 is high.
    """
    return 0


class Person(TypedDict):
    name: str
    birthday: datetime.date


class Passenger(Person, total=False):
    """Who flies."""

    seat: Literal["aisle", "window"]


@tool
def book_flight(flight: str, passengers: List[Passenger]) -> uuid.UUID:
    """Book seats of a flight."""
    return uuid.uuid4()


@tool
def send_email(to: Union[str, List[str]], subject: str, body: str, cc: List[str] = None, urgent: bool = False):
    """Sends an email.

    :param to: one address or many
    :param subject: of the email
    """


@tool
def create_event(
    title: str,
    start: datetime.datetime,
    end: datetime.datetime,
    attendees: Set[str] = frozenset(),
    remind_before: Optional[datetime.timedelta] = None,
    daily_at: Optional[datetime.time] = None,
) -> Dict[str, Any]:
    """Create an event in the calendar.

    Args:
        start: With the time zone.
        end: With the time zone.
    """
    return {}


@tool
def transfer_money(source: uuid.UUID, target: uuid.UUID, amount: decimal.Decimal) -> decimal.Decimal:
    """Transfer money from one account to another.

    Parameters
    ----------
    amount : Decimal
        In the currency of the source.
    """
    return amount


@dataclass
class Money:
    amount: float
    currency: Literal["EUR", "USD"] = "EUR"


@dataclass
class LineItem:
    """One position of an order.

    Attributes:
        sku: Of the product.
        quantity: At least 1.
    """

    sku: str
    quantity: Annotated[int, {"minimum": 1}] = 1
    price: Optional[Money] = None


@tool
def place_order(customer_id: int, items: List[LineItem], gift: Optional[bool] = False) -> Money:
    """Place an order."""
    return Money(0)


class Point(NamedTuple):
    lat: float
    lon: float = 0.0


@tool
def find_route(start: Point, end: Point, via: List[Tuple[float, float]] = []) -> List[Point]:
    """Find a route between two points."""
    return []


@tool
def add_expense(date, amount, category, note=""):
    """
    Add a new expense.
    Date format: YYYY-MM-DD
    """
    return {"status": "ok"}


@tool
def update_record(table: str, id: int, **fields: Union[str, float, None]) -> bool:
    """Update fields of a record."""
    return True


@tool(name="delete-customer", description="Delete a customer for good.", destructive=True, timeout_ms=5000)
def _delete(customer_id: int, /, *, confirm: Literal[True]) -> None:
    """Not for the model."""
