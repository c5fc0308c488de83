"""Innermost loops of compiled code begin at a line of the processor's cache (x86-64).

Without that, where the code before it happens to end decides how fast a short loop is: the same
loop over the arms of `flat_ucb1` took 115 or 165 ns a round.
"""

from __future__ import annotations

import platform
from typing import Any

import llvmlite.binding

_llvm: Any = llvmlite.binding

OPTION = "-x86-experimental-pref-innermost-loop-alignment=6"  # 2^6 bytes
KNOWN = range(15, 23)  # versions of LLVM that were tried: one without the option ends the process

if platform.machine() in ("x86_64", "AMD64") and _llvm.llvm_version_info[0] in KNOWN:
    _llvm.set_option("factored_bandits", OPTION)
