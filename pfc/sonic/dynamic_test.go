package sonic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

const dynamicText = `{
	"DEVICE_METADATA": {"localhost": {
		"buffer_model": "dynamic", "platform": "x86_64-nvidia_sn5600-r0"
	}},
	"PORT": {
		"Ethernet0": {"speed": "100000", "lanes": "1,2,3,4"},
		"Ethernet8": {"speed": "800000", "lanes": "9,10,11,12,13,14,15,16", "mtu": "9216"}
	},
	"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet8": "5m"}},
	"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"}},
	"BUFFER_PROFILE": {"port": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "7"}},
	"BUFFER_PORT_INGRESS_PROFILE_LIST": {"Ethernet0": {"profile_list": "port"}},
	"BUFFER_PG": {"Ethernet0|3-4": {"profile": "NULL"}, "Ethernet8|3-4": {"profile": "NULL"}},
	"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}, "Ethernet8": {"pfc_enable": "3,4"}},
	"LOSSLESS_TRAFFIC_PATTERN": {"AZURE": {"mtu": "1024", "small_packet_percentage": "100"}},
	"DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"AZURE": {"default_dynamic_th": "7"}}
}`

func importDynamic(t *testing.T, old, with string) *Switch {
	require.Contains(t, dynamicText, old)
	db, err := Parse([]byte(strings.Replace(dynamicText, old, with, 1)))
	require.NoError(t, err)
	s, err := db.Import(Chip{Buffer: 150 * sluice.MiB})
	require.NoError(t, err)
	return s
}

// TestDynamicSizes: what SONiC's script makes of ports of four and eight lanes. The size is xon and
// xoff; of eight lanes xon is twice the pipeline, and a frame is in the size. xon and xoff are
// as in ACS-SN5600's table for 800 Gb/s over 5 m; its size has a KiB less, from a script that
// doubled the pipeline less a KiB.
func TestDynamicSizes(t *testing.T) {
	s := importDynamic(t, "dynamic", "dynamic")
	wide := *s.Config.Ports[1].Profiles[3]
	require.Equal(t, pfc.Profile{
		Alpha: sluice.Ratio{Num: 64, Den: 1}, ResumeOffset: pfc.ResumeAtThreshold,
		XOnFloor: 38_912, Headroom: 257_024, Reserve: 38_912 + 9216,
	}, wide)
	narrow := *s.Config.Ports[0].Profiles[4]
	require.EqualValues(t, 19_456, narrow.XOnFloor)
	require.EqualValues(t, 19_456, narrow.Reserve)
	require.Zero(t, s.Config.HeadroomPool)
	require.True(t, s.Config.Ports[0].QoS.Shares, "Spectrum-4")
	require.EqualValues(t, 64, s.Config.Ports[0].QoS.Ingress[0].Alpha.Num, "7 stands for 64")
}

// TestOversubscription: with an over_subscribe_ratio the headrooms share a pool: their sum, less 10
// KiB that each port keeps for itself, by the ratio. The size of a profile is then xon alone.
func TestOversubscription(t *testing.T) {
	s := importDynamic(t, `"default_dynamic_th": "7"`, `"over_subscribe_ratio": "3"`)
	narrow, wide := s.Config.Ports[0].Profiles[3], s.Config.Ports[1].Profiles[3]
	require.EqualValues(t, 38_912, wide.Reserve)
	sum := 2*narrow.Headroom + 2*wide.Headroom - 2*10*sluice.KiB
	require.Equal(t, (sum+2)/3, s.Config.HeadroomPool)

	fixed := importDynamic(t, `"type": "ingress"`, `"type": "ingress", "xoff": "700000"`)
	require.EqualValues(t, 700_000, fixed.Config.HeadroomPool, "the pool's own xoff counts")
	require.EqualValues(t, 38_912, fixed.Config.Ports[1].Profiles[3].Reserve)
}
