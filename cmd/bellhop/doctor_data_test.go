package main

import (
	"testing"
)

// TestDoctorData checks the data of a service while it runs and after it has stopped.
func TestDoctorData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := writeText(t, "world.yaml", `{users: [{id: "200", username: ada}], applications: [{id: "100", name: Echo, owner: "200", bot_token: bot-V7mQ2xK9tR4zL8pW3n-0}]}`)
	p := start(t, "serve", "--data", dir, "--world", file, "--listen", "127.0.0.1:0")
	status, text, err := p.Send(t.Context(), "PUT", "/api/v10/applications/100/commands", "Bot bot-V7mQ2xK9tR4zL8pW3n-0", `[{"name":"a","description":"A"},{"name":"b","description":"B"}]`)
	if err != nil || status != 200 {
		t.Fatalf("write: %d %s %v", status, text, err)
	}
	runBellhop(t, exitOK, "doctor", "--data", dir)
	p.StopCleanly(t)
	runBellhop(t, exitOK, "doctor", "--data", dir)
}
