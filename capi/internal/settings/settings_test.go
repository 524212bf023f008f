package settings_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/capi/internal/settings"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/trigger"
	"github.com/sluicefc/sluice/pyrrha"
)

func TestFieldsOfEveryKind(t *testing.T) {
	var c pfc.Config
	require.NoError(t, settings.Apply(&c, `
		Ports=2, Ports[*].Link.Rate=100Gbps   # both
		Ports[1].Link.Delay=1.5us, Ports[2].Alpha=1/8
		Buffer = 20MiB
		Classes=3+4, Ports[0].Classes=none, Ports[1].Classes=all
		MAC=02:00:00:00:00:01, Seed=0x10
		Pools=8MiB+12MiB
		Ports[0].Profiles[3].XOff=40KB, Ports[0].ResumeOffset=-1, Ports[0].Strict=on
		Ports[0].ECN[*].KMin=40KB
		Trigger=1, Groups[0].Quantum[7]=1500
	`))
	require.Len(t, c.Ports, 3)
	require.Equal(t, 100*sluice.Gbps, c.Ports[1].Link.Rate)
	require.Zero(t, c.Ports[2].Link.Rate, "it was not there when [*] was set")
	require.Equal(t, 1500*sluice.Nanosecond, c.Ports[1].Link.Delay)
	require.Equal(t, sluice.Ratio{Num: 1, Den: 8}, c.Ports[2].Alpha)
	require.Equal(t, 20*sluice.MiB, c.Buffer)
	require.Equal(t, sluice.MakeClassSet(3, 4), c.Classes)
	require.Equal(t, sluice.NoClasses, c.Ports[0].Classes)
	require.Equal(t, sluice.AllClasses, c.Ports[1].Classes)
	require.Equal(t, sluice.MAC{2, 0, 0, 0, 0, 1}, c.MAC)
	require.Equal(t, uint64(16), c.Seed)
	require.Equal(t, []sluice.Bytes{8 * sluice.MiB, 12 * sluice.MiB}, c.Pools)
	require.Equal(t, 40*sluice.KB, c.Ports[0].Profiles[3].XOff)
	require.Equal(t, pfc.ResumeAtThreshold, c.Ports[0].ResumeOffset)
	require.True(t, c.Ports[0].Strict)
	require.Equal(t, 40*sluice.KB, c.Ports[0].ECN[7].KMin)
	require.Equal(t, trigger.Kind(1), c.Trigger)
	require.Equal(t, 1500*sluice.Byte, c.Groups[0].Quantum[7])
}

func TestNamesOfConstants(t *testing.T) {
	var p pyrrha.Config
	require.NoError(t, settings.Apply(&p, "Organisation=single tier, Ports=1, Ports[0].Role=Up"))
	require.Equal(t, pyrrha.SingleTier, p.Organisation)
	require.Equal(t, pyrrha.Up, p.Ports[0].Role)
	var b bfc.Config
	require.NoError(t, settings.Apply(&b, "Withhold=2, Withhold[1].Ingress=3, Assignment=last freed"))
	require.Equal(t, []bfc.Pair{{}, {Ingress: 3}}, b.Withhold)
	require.Equal(t, bfc.LastFreed, b.Assignment)
	require.ErrorContains(t, settings.Apply(&p, "Organisation=flat"),
		"must be one of hierarchical, single-tier", "each name once")
}

func TestErrors(t *testing.T) {
	for text, rule := range map[string]string{
		"Buffer":                    "must be written field=value",
		"Buffer=much":               "must be a number of bytes",
		"Bufer=1":                   "there is no field Bufer; there are Ports, Buffer",
		"Ports[x].Pause=1":          "an index must be 0 to 4095, or *",
		"Ports[4096].Pause=1":       "an index must be 0 to 4095, or *",
		"Ports[0.Pause=1":           "no closing bracket",
		"Ports=5000":                "must be how many there are, 0 to 4096",
		"Ports[0].Pause=65536":      "is out of the range of uint16",
		"Ports[0].Link=fast":        "must name one of Rate, Delay",
		"Ports[0].ECN[8].KMin=1":    "an index must be 0 to 7, or *",
		"Classes=8":                 "must be classes 0 to 7",
		"MAC=1":                     "must be an address",
		"Ports[0].Strict=maybe":     "must be true or false",
		"Buffer[0]=1":               "there is no list here",
		"Buffer.Size=1":             "Size is in no struct",
		"Trigger=sometimes":         "must be one of",
		"Ports[0].Alpha=1/0":        "must have a positive denominator",
		"Ports[0].Profiles[9].Pool": "must be written field=value",
	} {
		var c pfc.Config
		err := settings.Apply(&c, text)
		require.ErrorContains(t, err, rule, text)
		require.IsType(t, &settings.Error{}, err)
	}
}
