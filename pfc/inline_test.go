package pfc

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
)

// TestInlining: the small functions on the way of every packet stay within the compiler's budget.
// Each that did not would cost a call.
func TestInlining(t *testing.T) {
	depth.From(t, depth.Thorough, "the compiler says what it inlines")
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	require.NoError(t, err, string(out))
	for _, function := range []string{
		"(*Port).push", "(*account).beyond", "(*account).distance",
		"(*account).low", "(*threshold).exceededBy", "highest",
	} {
		require.True(t, strings.Contains(string(out), "can inline "+function+"\n"), function)
	}
}
