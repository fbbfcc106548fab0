"""Find the definitions, references and comments of one file."""

from gortex_py.parse.parser import ParserOptions, SourceParser
from gortex_py.parse.registry import LANGUAGES, LanguageSpec

__all__ = ["LANGUAGES", "LanguageSpec", "ParserOptions", "SourceParser"]
