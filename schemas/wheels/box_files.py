"""What of a wheel goes into a box: all but its labelled cases, so that a verifier does not find its exam there."""

from collections.abc import Mapping

from schemas.manifest import Manifest


def box_files(files: Mapping[str, bytes], manifest: Manifest) -> dict[str, bytes]:
    """The wheel's files without those that ``audit`` names, unless they are tasks or examples as well."""
    needed = {*manifest.stored_splits.values(), manifest.examples}
    cases = {f"{manifest.import_name}/{path}" for path in manifest.case_files if path not in needed}
    return {path: data for path, data in files.items() if path not in cases}
