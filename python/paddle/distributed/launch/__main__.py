# SPDX-License-Identifier: Apache-2.0
from .main import launch

if __name__ == "__main__":
    launch()
