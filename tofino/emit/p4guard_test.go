package emit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What a guard is printed as holds exactly where the guard does: every table of truth of up to four
// predicates.
func TestCubesCoverTheirRows(t *testing.T) {
	for predicates := range 5 {
		rows := uint32(1)<<(1<<predicates) - 1
		for wanted := uint32(0); wanted <= rows; wanted += 1 + wanted/257 {
			var covered uint16
			for _, c := range cubes(uint16(wanted), predicates) {
				covered |= c.rows(predicates)
			}
			assert.Equal(t, uint16(wanted), covered)
		}
	}
}
