package depth

import (
	"os"
	"os/exec"
	"testing"
)

// Need says that a test needs programs. Where the environment has SLUICE_REQUIRE_ and the name of
// a gate, as in .ci/run, the test fails without them; else it is left out.
func Need(t testing.TB, gate string, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		if os.Getenv("SLUICE_REQUIRE_"+gate) != "" {
			t.Fatalf("%s is not there, and the gates need it", program)
		}
		t.Skipf("%s is not there", program)
	}
}
