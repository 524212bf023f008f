package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestControlIsToldOfThePacketsQueue: Pyrrha, section VIII: "Pyrrha reduces the FCT of small flows
// (less than 100KB) by up to 32.7x". With HPCC it does for small flows; larger ones that pass a
// port where packets are held for a root elsewhere slow down if telemetry reports those packets
// too.
func TestControlIsToldOfThePacketsQueue(t *testing.T) {
	if testing.Short() {
		t.Skip("three runs of the reference")
	}
	pyrrha := variantOf(t, pyrrhaLibrary, "pyrrha/cc", "pyrrha", " hpcc")
	pfc := variantOf(t, pyrrhaLibrary, "pyrrha/cc", "pfc", " hpcc")
	require.Greater(t, pfc.smallUncongested()/pyrrha.smallUncongested(), 20.0)

	s := prepared(t, pyrrhaLibrary, "pyrrha/cc", "cc=hpcc,cc.queue=port")
	require.Empty(t, s.variants)
	byPort := outcomeOf(t, s, "pyrrha")
	require.Less(t, pyrrha.fct.Vulnerable.Mean, 20.0)
	require.Greater(t, byPort.fct.Vulnerable.Mean, 10*pyrrha.fct.Vulnerable.Mean)

	claims := claimCooperation(s, []*outcome{pfc, pyrrha})
	require.Len(t, claims, 2)
	require.Equal(t, "up to 32.7", claims[0].published)
}
