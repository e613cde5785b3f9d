package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
)

func newNodeForget(f *Factory) *cobra.Command {
	request := model.ForgetRequest{}
	c := &cobra.Command{
		Use: "forget HOST", Short: "Let another machine be a host whose machine is gone for good",
		Long: "A host's label, tunnel address and control address belong to the machine whose agent has taken them first. This frees them, " +
			"so that another machine - or the same one, installed again - may be the host. It is refused while the host's agent runs. Certificates of " +
			"its agent are revoked, also where no machine is registered as the host. The " +
			"endpoints that are left on the host keep their addresses, unless --release deletes them.",
		Args: exactly("HOST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request.Host = args[0]
			return runNodeForget(cmd.Context(), f, request)
		},
	}
	c.Flags().BoolVar(&request.Release, "release", false, "delete the endpoints that the machine has left there")
	return c
}

func runNodeForget(ctx context.Context, f *Factory, request model.ForgetRequest) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	out, err := c.Forget(ctx, request)
	if err != nil {
		return err
	}
	if out.Machine != "" {
		if err := printf(f.Out, "machine %s is no longer host %s; free are %s\n", out.Machine, out.Host, strings.Join(out.Freed, ", ")); err != nil {
			return err
		}
	}
	if out.Released > 0 {
		if err := printf(f.Out, "%d endpoints released\n", out.Released); err != nil {
			return err
		}
	}
	if out.Revoked > 0 {
		if err := printf(f.Out, "%d certificates of its agent are revoked\n", out.Revoked); err != nil {
			return err
		}
	}
	if len(out.Endpoints) == 0 {
		return nil
	}
	return printf(f.Out, "%d endpoints are left on it: %s (netctl node forget %s --release deletes them)\n", len(out.Endpoints),
		strings.Join(out.Endpoints, ", "), out.Host)
}
