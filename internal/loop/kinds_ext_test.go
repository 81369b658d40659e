package loop_test

// Tests of this package see the kinds of loop that the program has.
import _ "hooks/internal/kind"
