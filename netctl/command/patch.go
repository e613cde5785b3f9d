// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"maps"
	"os"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/yaml"
	"github.com/contiv/contiv/netctl/term"
)

type patchOptions struct {
	scope
	writing
	patch, file string
}

func newPatch(f *Factory) *cobra.Command {
	o := &patchOptions{}
	c := &cobra.Command{
		Use: "patch KIND NAME | KIND/NAME", Short: "Change fields of an object",
		Long: "The patch is a JSON merge patch (RFC 7386) in JSON or YAML: its fields replace those of the object, null clears a field, and the labels are\n" +
			"merged. The object is changed in one transaction; nothing changes if someone else has changed it meanwhile.",
		Example: "  netctl patch rule shop:web-in:2 -p 'port: 8080'\n  netctl patch group web -t shop -p '{\"policies\":[\"web-in\"],\"labels\":{\"tier\":null}}' --dry-run",
		Args: func(cmd *cobra.Command, args []string) error {
			if (o.patch == "") == (o.file == "") {
				return term.BadUsage("exactly one of --patch and --patch-file is required")
			}
			return exactly("KIND", "NAME")(cmd, kindAndName(args))
		},
		ValidArgsFunction: completeKindAndName(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			args = kindAndName(args)
			k, err := changeableKind(args[0])
			if err != nil {
				return err
			}
			return runPatch(cmd.Context(), f, o, k, args[1])
		},
	}
	c.Flags().StringVarP(&o.patch, "patch", "p", "", "fields of the object, in JSON or YAML")
	c.Flags().StringVar(&o.file, "patch-file", "", "file with the fields")
	o.registerAs(c, "tenant of the object")
	o.writing.register(c)
	return c
}

// changes returns the fields of the patch.
func (o *patchOptions) changes() (map[string]any, error) {
	text := []byte(o.patch)
	if o.file != "" {
		var err error
		if text, err = os.ReadFile(o.file); err != nil {
			return nil, local(err)
		}
	}
	plain, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, term.Exitf(term.Usage, "the patch: %v", err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(plain, &out); err != nil || out == nil {
		return nil, term.Exitf(term.Usage, "the patch: got %.40s, want fields such as port: 8080", plain)
	}
	return out, nil
}

func runPatch(ctx context.Context, f *Factory, o *patchOptions, k *model.Kind, name string) error {
	patch, err := o.changes()
	if err != nil {
		return err
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	key, err := o.find(ctx, c, k, name)
	if err != nil {
		return err
	}
	before, err := c.Get(ctx, k, key...)
	if err != nil {
		return err
	}
	after, err := patched(before, patch)
	if err != nil {
		return err
	}
	results, rev, err := applyUnchanged(ctx, c, before, []model.ApplyObject{after}, o.dryRun.on())
	if err != nil {
		return err
	}
	if err := f.differences(format, changedObjects(results, o.dryRun.on(), rev)); err != nil {
		return err
	}
	return o.await(ctx, f, c, rev)
}

// patched returns an object of a request: the object with the fields of a patch.
func patched(object model.Object, patch map[string]any) (model.ApplyObject, error) {
	k := object.Kind()
	out, err := requested(object)
	if err != nil {
		return out, err
	}
	for name, value := range patch {
		if name == "kind" && value == k.Name {
			continue
		}
		if _, known := k.Field(name); !known {
			return out, unknownField(k, name)
		}
		merge(out.Fields, name, value)
	}
	for i, name := range k.Key {
		if want := k.Parts(object.ObjectKey())[i]; out.Fields[name] != want {
			return out, term.Exitf(term.Usage, "%s %s: the patch changes %s, which is part of the name: create another object instead", k.Name, object.ObjectKey(), name)
		}
	}
	return out, nil
}

// merge sets a field to the value of a patch, as RFC 7386 describes it.
func merge(fields map[string]any, name string, value any) {
	patch, isObject := value.(map[string]any)
	switch {
	case value == nil:
		delete(fields, name)
	case !isObject:
		fields[name] = value
	default:
		was, _ := fields[name].(map[string]any)
		into := maps.Clone(was)
		if into == nil {
			into = map[string]any{}
		}
		for key, v := range patch {
			merge(into, key, v)
		}
		fields[name] = into
	}
}

// unknownField is the refusal of a field that a kind lacks.
func unknownField(k *model.Kind, name string) error {
	var names []string
	for _, field := range k.Fields {
		names = append(names, field.Name)
	}
	meant := ""
	for i, alike := range model.Alike(name, names) {
		if i == 0 {
			meant = "did you mean " + alike + "? "
		}
	}
	return term.Exitf(term.Usage, "%s has no field %q: %snetctl explain %s lists them", k.Name, name, meant, k.Name)
}

// applyUnchanged applies objects if one of them has not changed since it was read.
func applyUnchanged(ctx context.Context, c *client.Client, before model.Object, objects []model.ApplyObject, dry bool) ([]model.ApplyResult, client.Revision, error) {
	k := before.Kind()
	now, err := c.Get(ctx, k, k.Parts(before.ObjectKey())...)
	if err != nil {
		return nil, 0, err
	}
	if len(model.Differences(before, now)) > 0 {
		return nil, 0, term.Exitf(term.Server, "%s %s has been changed meanwhile: repeat the command", k.Name, before.ObjectKey())
	}
	return c.Apply(ctx, model.ApplyRequest{Objects: objects, DryRun: dry})
}
