"""Views of results that other programs read: build servers, job pages, web pages, Allure."""
