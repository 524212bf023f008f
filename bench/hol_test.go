package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/report"
)

func holModels(t *testing.T, args ...string) map[string]report.HolModel {
	t.Helper()
	code, stdout, stderr := invoke(append([]string{"hol", "-json", "-"}, args...)...)
	require.Equal(t, exitOK, code, stderr)
	var models []report.HolModel
	require.NoError(t, json.Unmarshal([]byte(stdout), &models))
	byName := map[string]report.HolModel{}
	for _, m := range models {
		byName[m.FC] = m
	}
	return byName
}

// Pyrrha, Figure 10: the flows from S2 to R1 and from VS to VR leave the core by one port. Under
// PFC the second waits for the first's congested port, under Pyrrha it does not (Theorem 1).
func TestHOLOfFigure10(t *testing.T) {
	models := holModels(t, "pyrrha/fig10", "-fc", "pfc,pyrrha,pyrrha-single,bfc")
	require.Equal(t, 1, models["pfc"].BlockedFlows)
	for _, c := range models["pfc"].Cases {
		require.Equal(t, 2, c.Flow, "VS to VR")
		require.Equal(t, 1, c.Pause, "because of S2 to R1")
	}
	for _, fc := range []string{"pyrrha", "pyrrha-single", "bfc"} {
		require.Zero(t, models[fc].BlockedFlows, fc)
	}
}

// Two queues are too few for BFC where many flows meet; no number of flows blocks one of Pyrrha's.
func TestHOLOfAnIncast(t *testing.T) {
	models := holModels(
		t, "pyrrha/fig2", "-set", "duration=20us,incast.degree=64,bfc.queues=4", "-fc",
		"pfc,bfc,pyrrha,ideal",
	)
	require.Greater(t, models["pfc"].BlockedFlows, models["bfc"].BlockedFlows)
	require.Positive(t, models["bfc"].BlockedFlows)
	require.Zero(t, models["pyrrha"].BlockedFlows)
	require.Zero(t, models["ideal"].BlockedFlows)
	require.Equal(t, 4, models["bfc"].PortQueues)
	require.Greater(t, models["ideal"].TotalQueues, models["pyrrha"].TotalQueues)
}

// Figure 13: round a ring PFC's queues wait for one another.
func TestHOLOfARing(t *testing.T) {
	models := holModels(t, "pyrrha/ring", "-congested", "6:2,7:3,8:3", "-fc", "pfc,pyrrha")
	require.Contains(t, models["pfc"].Circle, "6:2 q0 waits for 7:3 q0")
	code, stdout, stderr := invoke("hol", "pyrrha/ring", "-congested", "6:2,7:3,8:3", "-fc", "pfc")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "congested: 6:2, 7:3, 8:3")
	require.Contains(t, stdout, "waits for 7:3 q0")
}

// Routes that loop have an end, too; protocols without a model are left out unless they are named.
func TestHOLOfEveryScenario(t *testing.T) {
	for _, name := range []string{"incast", "pyrrha/loop", "pyrrha/merge", "pyrrha/ring-collision"} {
		models := holModels(t, name)
		require.NotContains(t, models, "none")
		require.NotEmpty(t, models)
	}
}
