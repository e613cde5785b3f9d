// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"testing"

	"github.com/contiv/contiv/api/model"
)

// Problems of an engine come first, and an unknown state is "?".
func TestDockerStatus(t *testing.T) {
	count := func(n int) *int { return &n }
	clash := model.DockerProblem{Network: "blue", Problem: "not made: no"}
	for _, test := range []struct {
		name          string
		status        model.DockerStatus
		line, trouble string
	}{
		{"well", model.DockerStatus{Here: true, Version: "29.1.0", Containers: count(3), Networks: count(0)}, "29.1.0, 3 containers, 0 networks", ""},
		{"not known yet, networks are not kept", model.DockerStatus{Here: true}, "?, ? containers", ""},
		{"away, with a problem from before", model.DockerStatus{Since: "2030-01-02T15:04:05Z", Reason: "refused", Version: "29.1.0", Problems: []model.DockerProblem{clash}},
			"away since 2030-01-02T15:04:05Z: refused", "the Docker engine is away: refused"},
		{"one network", model.DockerStatus{Here: true, Version: "20.10.5", Containers: count(1), Networks: count(2), Problems: []model.DockerProblem{clash}},
			"20.10.5, 1 container, 2 networks, 1 network in trouble", "network blue of Docker: not made: no"},
		{"two networks", model.DockerStatus{Here: true, Version: "20.10.5", Containers: count(0), Networks: count(1), Problems: []model.DockerProblem{clash, clash}},
			"20.10.5, 0 containers, 1 network, 2 networks in trouble", "network blue of Docker and 1 more: not made: no"},
	} {
		if line, trouble := test.status.String(), test.status.Problem(); line != test.line || trouble != test.trouble {
			t.Errorf("%s: want %q and %q, got %q and %q", test.name, test.line, test.trouble, line, trouble)
		}
	}
}
