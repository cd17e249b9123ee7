"""The routers of all pages, in the order in which they are matched."""

from hub_server.site.pages import (
    about,
    account,
    benchmarks,
    cases,
    code,
    compare,
    device,
    email,
    home,
    label,
    login,
    moderation,
    organizations,
    owner,
    package_settings,
    password,
    publishers,
    recovery,
    releases,
    report_owner,
    report_package,
    robots,
    runs,
    search,
    second_factor,
    security_keys,
    signup,
    standing,
    tasks,
    theme,
    used_by,
    watches,
    webhooks,
)
from hub_server.site.pages.audit import audit_page, report_files
from hub_server.site.pages.benchmark import benchmark_page
from hub_server.site.pages.collections import collection_form, collection_page, report_collection
from hub_server.site.pages.diff import diff_page
from hub_server.site.pages.discussions import discussion_forms, discussion_list, discussion_page
from hub_server.site.pages.docs import api_page, docs_page
from hub_server.site.pages.new_case import new_case_page
from hub_server.site.pages.package import package_page, readme_image
from hub_server.site.pages.run import comparison_page, run_page, series_file
from hub_server.site.pages.try_it import try_page

# The first route that matches answers: `…/audits/{audit_id}.md` must come before `…/audits/{audit_id}`.
PAGES = (
    theme, home, about, robots, api_page, docs_page, login, signup, account, password, recovery, email, second_factor,
    security_keys, device, search, owner, standing, organizations, publishers, package_settings, package_page,
    readme_image, releases, diff_page, code, tasks, discussion_list, discussion_forms, discussion_page, try_page,
    report_files, audit_page, new_case_page, cases, compare, label, benchmarks, benchmark_page,
    runs, comparison_page, series_file, run_page, used_by, report_owner, report_package,
    collection_form, collection_page, report_collection, moderation, watches, webhooks,
)  # fmt: skip
ROUTERS = [page.router for page in PAGES]
