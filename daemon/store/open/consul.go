package open

import (
	"crypto/tls"
	"fmt"
	"log/slog"

	"github.com/contiv/contiv/daemon/store"
)

func openConsul(c Config, _ *tls.Config, _ *slog.Logger) (store.Store, error) {
	return nil, fmt.Errorf("consul store %v", c.Consul)
}
