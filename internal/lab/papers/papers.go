// Package papers has the scenarios of all papers, and of none: networks and traffic that follow a
// paper's figure, with the numbers that the paper gives beside ours. Each paper is a package below.
package papers

import (
	"github.com/sluicefc/sluice/internal/lab/papers/bfc"
	"github.com/sluicefc/sluice/internal/lab/papers/general"
	"github.com/sluicefc/sluice/internal/lab/papers/ofc"
	"github.com/sluicefc/sluice/internal/lab/papers/pcn"
	"github.com/sluicefc/sluice/internal/lab/papers/portfc"
	"github.com/sluicefc/sluice/internal/lab/papers/pyrrha"
	"github.com/sluicefc/sluice/internal/lab/papers/tcd"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// All is what "list" names, in its order.
var All = run.Join(
	general.Library, pyrrha.Library, bfc.Library, ofc.Library, tcd.Library, pcn.Library,
	portfc.Library,
)
