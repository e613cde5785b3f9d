// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/manifest"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/setup/migrate"
)

// importTimeout bounds each request to a netmaster of the original.
const importTimeout = time.Minute

func newImport() *cobra.Command {
	var p place
	from, dump, file, output, apply := "", "", "", "table", false
	cmd := &cobra.Command{
		Use: "import {--from URL | --dump FILE}", Short: "Take over the configuration of a cluster of the original Contiv", Args: cobra.NoArgs,
		Long: "Take over the configuration of a cluster of the original Contiv: read it from its netmaster, or from a dump of its etcd, write it as a file for netctl apply, " +
			"and print what differs, and the containers of each host. It changes nothing at the original. With --apply the objects are created in this host's cluster, all or none.",
		Example: "  contiv import --from http://192.0.2.1:9999 --file intent.yaml\n  curl 'http://192.0.2.1:2379/v2/keys/?recursive=true' >dump.json; contiv import --dump dump.json --file intent.yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case (from == "") == (dump == ""):
				return errors.New("--from or --dump is required, and only one of them")
			case output != "table" && output != "json":
				return fmt.Errorf("--output: got %q, want table or json", output)
			}
			o, err := original(cmd.Context(), from, dump)
			if err != nil {
				return err
			}
			intent := migrate.Translate(o)
			if file != "" {
				if err := writeIntent(file, intent.Objects); err != nil {
					return err
				}
			}
			if err := report(cmd.OutOrStdout(), intent, output); err != nil || !apply {
				return err
			}
			return p.apply(cmd.Context(), intent.Objects)
		},
	}
	f := cmd.Flags()
	f.StringVar(&from, "from", "", "URL of a netmaster of the original, such as http://192.0.2.1:9999")
	f.StringVar(&dump, "dump", "", "file with the answer of its etcd to GET /v2/keys/?recursive=true")
	f.StringVar(&file, "file", "", "file to which the objects are written, for netctl apply")
	f.BoolVar(&apply, "apply", false, "create the objects in this host's cluster")
	f.StringVarP(&output, "output", "o", output, "format of the report: table or json")
	p.flags(f)
	return cmd
}

// original reads a cluster of the original from a netmaster or from a dump.
func original(ctx context.Context, from, dump string) (*migrate.Original, error) {
	if from != "" {
		return migrate.ReadNetmaster(ctx, from, &http.Client{Timeout: importTimeout})
	}
	in, err := os.Open(dump)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	o, err := migrate.ReadDump(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dump, err)
	}
	return o, nil
}

// writeIntent writes objects to a file that does not exist yet.
func writeIntent(file string, objects []model.Object) error {
	var text bytes.Buffer
	for _, o := range objects {
		if err := manifest.Write(&text, o); err != nil {
			return err
		}
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(text.Bytes())
	return errors.Join(err, out.Close())
}

// apply creates objects in the cluster of this host, all or none.
func (p *place) apply(ctx context.Context, objects []model.Object) error {
	c, _, _, err := p.reach()
	if err != nil {
		return err
	}
	var q model.ApplyRequest
	for _, o := range objects {
		text, err := json.Marshal(o)
		if err != nil {
			return err
		}
		fields := map[string]any{}
		if err := json.Unmarshal(text, &fields); err != nil {
			return err
		}
		for _, computed := range []string{"key", "link-sets", "links"} {
			delete(fields, computed)
		}
		q.Objects = append(q.Objects, model.ApplyObject{Kind: o.Kind().Name, Fields: fields})
	}
	_, _, err = c.Apply(ctx, q)
	return err
}

// report prints what an import has found.
func report(out io.Writer, in *migrate.Intent, format string) error {
	if format == "json" {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(in)
	}
	count := map[string]int{}
	var order []*model.Kind
	for _, o := range in.Objects {
		if count[o.Kind().Name]++; count[o.Kind().Name] == 1 {
			order = append(order, o.Kind())
		}
	}
	var counts []string
	for _, k := range order {
		counts = append(counts, k.Count(count[k.Name]))
	}
	fmt.Fprintf(out, "objects: %d (%s)\n", len(in.Objects), strings.Join(counts, ", "))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(in.Differences) > 0 {
		fmt.Fprintln(w, "\nSeverity\tObject\tDifference")
		for _, d := range in.Differences {
			fmt.Fprintf(w, "%s\t%s\t%s\n", d.Severity, d.Object, d.Text)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, h := range in.Hosts {
		fmt.Fprintf(out, "\nhost %s: containers that start again when the host has joined the new cluster: %d\n", h.Host, len(h.Containers))
		for _, c := range h.Containers {
			fmt.Fprintln(out, "  "+c)
		}
	}
	return nil
}
