// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// outlive refuses to delete an object that has networks of Docker engines, because users may run containers on these. Networks that agents
// have created do not count: the agents remove them.
func outlive(tx *commit.Tx, what string, networks []*record.DockerNetwork) error {
	for _, d := range networks {
		if !d.Managed {
			return model.Errorf(model.CodeInUse, "", "Docker network %s of %s is %s", d.ID, d.Place(), what).
				Try("docker network rm %s there; if Docker no longer has it: netctl docknet rm %s", d.ID, d.ID)
		}
	}
	for _, d := range networks {
		tx.Delete(record.DockerNetworks + d.ID)
	}
	return nil
}
