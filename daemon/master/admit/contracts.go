// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
)

func createContracts(tx *commit.Tx, c *model.ExtContractsGroup) error {
	return tenantOf(tx, c.TenantName)
}

func removeContracts(tx *commit.Tx, c *model.ExtContractsGroup) error {
	if groups := tx.Referrers(c.Kind(), c.ObjectKey(), model.KindEndpointGroup().Name); len(groups) > 0 {
		return model.Errorf(model.CodeInUse, "", "Cannot delete external contracts group %s: it is being used", c.ContractsGroupName).
			Try("take it from the groups %s first", some(groups))
	}
	return nil
}
