package loop_test

import _ "hooks/internal/kind" // tests of this package see the kinds of loop that the program has
