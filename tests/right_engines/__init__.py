"""Nine right engines, built in nine ways from the chapters VALVE, ALIGN, WIN and TIME: none may raise an alarm.

The engines use the standard library only; `adapters` binds them to the kit.
"""
