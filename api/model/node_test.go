// SPDX-License-Identifier: Apache-2.0

package model

import "testing"

// A host's Docker engine is unknown, not asked, or as its agent says.
func TestDockerText(t *testing.T) {
	since := "2030-01-02T15:04:05Z"
	for _, row := range []struct {
		name string
		node Node
		want string
	}{
		{"a master", Node{Role: RoleLeader, Since: since}, "-"},
		{"an agent that does not answer", Node{Role: RoleAgent}, "?"},
		{"an agent that asks no engine", Node{Role: RoleAgent, Since: since}, "-"},
		{"away", Node{Role: RoleAgent, Since: since, AgentReport: AgentReport{Docker: &DockerStatus{Since: since, Reason: "refused"}}}, "away since " + since + ": refused"},
		{"well", Node{Role: RoleAgent, Since: since, AgentReport: AgentReport{Docker: &DockerStatus{Here: true, Version: "29.1.0"}}}, "29.1.0, ? containers"},
		{"trouble", Node{Role: RoleAgent, Since: since, AgentReport: AgentReport{Docker: &DockerStatus{Here: true, Version: "29.1.0",
			Problems: []DockerProblem{{Network: "blue", Problem: "not made: no"}}}}}, "29.1.0, ? containers, 1 network in trouble: network blue of Docker: not made: no"},
	} {
		if got := row.node.dockerText(); got != row.want {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}
