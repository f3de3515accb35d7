"""Conforming engines, each built in a way of its own from the chapter of its component: none may raise an alarm.

Three valves, three coordinators and three window operators, and one engine for every other component that has steps.
The engines use the standard library only; `adapters` binds them to the kit.
"""
