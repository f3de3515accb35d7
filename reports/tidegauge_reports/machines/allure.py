"""Result files for Allure, one for each rule, property and whatever else a run may fail by.

Allure knows a test by its history id, and shows one of those that share it; here it is the rule's id, and no
two results have the same. Needs the extra `allure`.
"""

from collections import Counter
from pathlib import Path

from allure_commons.logger import AllureFileLogger

from tidegauge.wire.results import Results
from tidegauge.wire.scenario import BadInput

from .allure_folder import clear_ours, write_categories, write_environment
from .allure_result import AllureResult, allure_result
from .cases import cases_of


def write(results: Results, folder: Path) -> Path:
    """Fill `folder` with the results; those of an earlier run are replaced, those of others stay. Raises
    `BadInput` if two would have the same history id, or if the folder cannot be written."""
    found = allure_results(results)
    try:
        logger = AllureFileLogger(folder)
        clear_ours(folder)
        for result in found:
            for name, body in result.attachments.items():
                logger.report_attached_data(body=body, file_name=name)
            logger.report_result(result=result.result)
        write_categories(folder)
        write_environment(folder, results)
    except OSError as error:
        raise BadInput(f"folder {folder} cannot be written: {error.strerror}; choose another") from None
    return folder


def allure_results(results: Results) -> list[AllureResult]:
    """The results, each with what is attached to it. Raises `BadInput` if a history id is not unique."""
    found = [allure_result(case, results, place) for place, case in enumerate(cases_of(results))]
    counts = Counter(str(result.result.historyId) for result in found)
    twice = [history_id for history_id, count in counts.items() if count > 1]
    if twice:
        raise BadInput(
            f"{len(twice)} names stand for more than one result, {twice[0]!r} for {counts[twice[0]]}: Allure "
            "would show one of each; mend the results document"
        )
    return found
