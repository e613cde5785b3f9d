// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
)

func createAciGw(*commit.Tx, *model.AciGw) error { return nil }

func updateAciGw(*commit.Tx, *model.AciGw, *model.AciGw) error { return nil }

func removeAciGw(tx *commit.Tx, _ *model.AciGw) error {
	if n := tx.Count(model.KindAppProfile()); n > 0 {
		return model.Errorf(model.CodeInUse, "", "Cannot delete aciGw: %d app profiles exist", n).
			Try("delete them first: netctl app-profile ls --all")
	}
	return nil
}
