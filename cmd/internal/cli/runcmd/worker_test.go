package runcmd

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// The manifest of workers can be read, asks for flags that there are, and probes what the worker answers.
func TestManifestOfWorkers(t *testing.T) {
	text, err := os.ReadFile("../../../../examples/fleet/worker.yaml")
	if err != nil {
		t.Fatal(err)
	}
	type probe struct {
		HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
	}
	type container struct {
		Command, Args []string
		Ports         []struct {
			Name          string
			ContainerPort string `yaml:"containerPort"`
		}
		LivenessProbe  probe                              `yaml:"livenessProbe"`
		ReadinessProbe probe                              `yaml:"readinessProbe"`
		VolumeMounts   []struct{ Name, MountPath string } `yaml:"volumeMounts"`
	}
	var manifest struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Spec       struct {
			Selector struct{ MatchLabels map[string]string } `yaml:"selector"`
			Template struct {
				Metadata struct{ Labels map[string]string }
				Spec     struct{ Containers []container }
			}
		}
	}
	if err := yaml.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.APIVersion != "apps/v1" || manifest.Kind != "Deployment" ||
		len(manifest.Spec.Template.Spec.Containers) != 1 {
		t.Fatalf("it is %+v", manifest)
	}
	c := manifest.Spec.Template.Spec.Containers[0]
	if len(c.Command) != 1 || c.Command[0] != running.FleetProgram || c.Args[0] != "worker" {
		t.Errorf("it runs %v %v", c.Command, c.Args)
	}
	command := WorkerCommand((&world.World{}).Complete())
	if err := command.ParseFlags(c.Args[1:]); err != nil {
		t.Fatal(err)
	}
	if args := command.Flags().Args(); len(args) != 1 || !strings.HasPrefix(args[0], "tls://") {
		t.Errorf("it works for %v", args)
	}
	health := command.Flags().Lookup("health").Value.String()
	if len(c.Ports) != 1 || health != ":"+c.Ports[0].ContainerPort {
		t.Errorf("it answers probes at %s, and has the ports %+v", health, c.Ports)
	}
	for want, p := range map[string]probe{"/healthz": c.LivenessProbe, "/readyz": c.ReadinessProbe} {
		if p.HTTPGet.Path != want || p.HTTPGet.Port != c.Ports[0].Name {
			t.Errorf("the probe of %s is %+v", want, p)
		}
	}
}
