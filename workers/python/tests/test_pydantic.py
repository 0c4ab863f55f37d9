"""Types of pydantic 2, where it is installed."""

import importlib.util
import unittest
from typing import Annotated, Any, List, Optional

from toolhost_worker import Context, Tool
from toolhost_worker.values.invalid import InvalidArguments
from toolhost_worker.values.writing import write_json

if importlib.util.find_spec("pydantic") is None:

    def load_tests(*_: Any) -> unittest.TestSuite:
        return unittest.TestSuite()

else:
    from pydantic import BaseModel, Field, field_validator

    class Address(BaseModel):
        city: str = Field(description="With the country")
        zip: str = Field(pattern=r"^\d{5}$")

    class User(BaseModel):
        """Somebody."""

        name: str = Field(min_length=1)
        address: Optional[Address] = None
        friends: List["User"] = []

        @field_validator("name")
        @classmethod
        def check(cls, name: str) -> str:
            if name == "a-secret":
                raise ValueError(f"{name} is not a name")
            return name

    def add(
        user: User,
        limit: int = Field(10, ge=1, description="Most"),
        query: Annotated[str, Field(max_length=5)] = "x",
        addresses: Optional[List[Address]] = None,
    ) -> User:
        return user

    class Pydantic(unittest.TestCase):
        maxDiff = None

        def test_makes_the_schema(self) -> None:
            parameters = Tool(add).registration()["parameters"]
            address = {
                "type": "object",
                "title": "Address",
                "properties": {
                    "city": {"type": "string", "description": "With the country"},
                    "zip": {"type": "string", "pattern": r"^\d{5}$"},
                },
                "required": ["city", "zip"],
            }
            self.assertEqual(
                parameters["properties"],
                {
                    "user": {"$ref": "#/$defs/User"},
                    "limit": {"type": "integer", "minimum": 1, "description": "Most", "default": 10},
                    "query": {"type": "string", "maxLength": 5, "default": "x"},
                    "addresses": {"type": ["array", "null"], "items": address, "default": None},
                },
            )
            self.assertEqual(list(parameters["$defs"]), ["User"])
            self.assertEqual(parameters["required"], ["user"])

        def test_makes_and_checks_the_values(self) -> None:
            made = Tool(add)
            context = Context("c", "t")
            _, arguments = made.bind({"user": {"name": "a", "friends": [{"name": "b"}]}}, context)
            self.assertEqual(arguments, {"user": User(name="a", friends=[User(name="b")]), "limit": 10})
            for bad, path in (
                ({"user": {"name": ""}}, "/user/name"),
                ({"user": {"name": "a-secret"}}, "/user/name"),
                ({"user": {"name": "a"}, "limit": 0}, "/limit"),
                ({"user": {"name": "a"}, "query": "too long"}, "/query"),
                ({"user": {"name": "a"}, "addresses": [{"city": "b", "zip": "1"}]}, "/addresses/0/zip"),
            ):
                with self.subTest(bad=bad), self.assertRaises(InvalidArguments) as caught:
                    made.bind(bad, context)
                self.assertEqual([path for path, _ in caught.exception.issues], [path])
                self.assertNotIn("secret", str(caught.exception))

        def test_writes_results(self) -> None:
            self.assertEqual(write_json([User(name="a")]), '[{"name":"a","address":null,"friends":[]}]')


if __name__ == "__main__":
    unittest.main()
