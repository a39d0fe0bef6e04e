// Words of clients of containers, clouds and services that wildcards of allow rules don't stand for. Data only, from the
// manuals of the programs.
import { t } from "../../../base/l10n.ts";
import { namesConfiguration, printsSecrets, runsProgram, writesFile } from "./hazardRow.ts";
import { sendsCredentials, type HazardGrammar, type HazardRow } from "./hazardRow.ts";

/** The words of a template of docker that show no environment: `{{.State.Status}}`. */
const harmlessTemplate =
  /^(?:--format=|-f)?['"]?\{\{\s*\.(?:State|Image|Name|Id|ID|NetworkSettings|Created|RestartCount|Platform|Driver|Mounts)(?:\.\w+)*\s*\}\}['"]?$/;
const composeFile = /^(?:[\w-]+\/)*(?:docker-)?compose[\w.-]*\.ya?ml$/;
/** gojq has the environment, also in the clients that contain it. */
const jqFunctions = /(?:^|[^\w.$"-])env(?![\w":-]|\s*:)|\$ENV\b/;

// prettier-ignore
export const cloudHazards: readonly HazardRow[] = [
  // Kubernetes.
  { programs: "kubectl oc k3s microk8s", words: "exec, debug, attach, run, edit, rsh, rsync, plugin, kubectl exec, kustomize --enable-exec, kustomize --enable-alpha-plugins, kustomize --enable-helm, kustomize --helm-command=, ctr, crictl exec", why: runsProgram },
  { programs: "kubectl oc", words: "cp, proxy, port-forward, cluster-info dump --output-directory=, --profile-output=, --profile=, --cache-dir=", why: () => t("writes files, or opens a way into the cluster") },
  { programs: "kubectl oc", words: "--kubeconfig=, -s=, --server=, --certificate-authority=, --insecure-skip-tls-verify, --client-certificate=, --client-key=, --tls-server-name=", why: namesConfiguration },
  { programs: "kubectl oc", words: "config view --raw, config view --flatten, create token, set env --resolve, whoami -t, whoami --show-token, extract, serviceaccounts, sa, registry login, login", why: printsSecrets },
  { programs: "kubectl oc", words: "config set, config set-cluster, config set-context, config set-credentials, config unset", why: () => t("changes the configuration, which can run programs") },
  { programs: "kubectl oc", words: "get --raw=", why: printsSecrets },
  { programs: "kubectl oc", text: /^(?:[\w.,-]+,)?secrets?(?:[./,][^]*)?$/i, why: () => t("names secrets of the cluster") },
  { programs: "helm", words: "--post-renderer=, --post-renderer-args=, plugin, repo add, repo update, registry login, --kubeconfig=, --kube-apiserver=, --kube-token=, --kube-ca-file=, --repository-config=, --registry-config=, --repository-cache=", why: namesConfiguration },
  { programs: "helm", words: "get, env, secrets, show values --devel", why: printsSecrets },
  { programs: "helm", words: "--output-dir=, pull, package", why: writesFile },
  { programs: "kustomize", words: "--enable-exec, --enable-alpha-plugins, --enable-helm, --helm-command=, -o=, --output=, fn, cfg", why: runsProgram },
  { programs: "minikube kind k3d", words: "ssh, kubectl, cp, mount, --config=, export, get kubeconfig, docker-env, podman-env, kubeconfig", why: namesConfiguration },
  // Containers.
  { programs: "docker podman nerdctl", words: "-H=, --host=, --config=, -c=, --context=, --tlscacert=, --tlscert=, --tlskey=, --url=, --connection=, --identity=, --root=, --runroot=, --runtime=, --hooks-dir=, --module=, --storage-opt=, --conmon=", why: namesConfiguration },
  { programs: "docker podman nerdctl", words: "run, exec, create, cp, attach, container run, container exec, container create, container cp, container attach, compose run, compose exec, compose cp, compose attach, buildx bake, buildx debug, plugin, service create, service update, stack deploy, stack up, swarm, context create, context import, context use, context export, context update, scout, sandbox, ai, mcp, model, machine ssh, machine init, system connection, play, kube play, unshare, mount, compose alpha", why: runsProgram },
  { programs: "docker podman nerdctl", words: "compose <-f=, compose <--file=, compose --env-file=, compose --project-directory=", except: composeFile, why: namesConfiguration },
  { programs: "docker-compose podman-compose", words: "-f=, --file=, --env-file=, --project-directory=, -H=, --host=, --context=", except: composeFile, why: namesConfiguration },
  { programs: "docker-compose podman-compose", words: "run, exec, cp, attach", why: runsProgram },
  { programs: "docker-compose podman-compose", words: "config, convert", except: /^(?:-q|--quiet|--services|--volumes|--images|--profiles)$/, why: () => t("shows variables of the environment") },
  { programs: "docker podman nerdctl", words: "compose config, compose convert", except: /^(?:-q|--quiet|--services|--volumes|--images|--profiles)$/, why: () => t("shows variables of the environment") },
  { programs: "docker podman nerdctl", words: "inspect, container inspect", except: harmlessTemplate, why: () => t("shows the environment of containers") },
  { programs: "docker podman nerdctl", words: "service inspect, config inspect, secret inspect --showsecret, login, logout, --password=, generate, secret", why: printsSecrets },
  { programs: "docker podman nerdctl", words: "export, save, image save, container export, sbom, build -o=, build --output=, buildx build -o=, buildx build --output=, build --metadata-file=, build --iidfile=, buildx build --metadata-file=, --cidfile=", why: writesFile },
  { programs: "docker podman nerdctl", words: "build --secret=, build --ssh=, buildx build --secret=, buildx build --ssh=, push, image push, compose push", why: sendsCredentials },
  { programs: "skopeo buildah crane", words: "copy, sync, login, run, from, push, auth, export, --authfile=, --registries-conf=, --policy=", why: sendsCredentials },
  { programs: "vagrant", words: "ssh, ssh-config, winrm, rdp, plugin, provision, up, box add, cloud, powershell, upload", why: runsProgram },
  // Infrastructure.
  { programs: "terraform tofu terragrunt", words: "console, apply, destroy, import, init -from-module=, init -plugin-dir=, init -backend-config=, -plugin-dir=, run-all, run, exec, test, --terragrunt-config=, --terragrunt-tfpath=, --terragrunt-source=", why: runsProgram },
  { programs: "terraform tofu terragrunt", words: "-chdir=, -state=, -backend-config=, --terragrunt-working-dir=", why: namesConfiguration },
  { programs: "terraform tofu terragrunt", words: "output, state pull, state show, state push, show -json, login, logout, providers schema -auth", why: printsSecrets },
  { programs: "pulumi", words: "--show-secrets, stack export, stack import, config, env, up, preview -f, preview --config-file=, --config-file=, destroy, refresh, login, plugin, policy, -C=, --cwd=, stack output", why: () => t("shows secrets, or runs the program of the stack") },
  { programs: "ansible ansible-playbook ansible-pull ansible-console ansible-inventory ansible-galaxy ansible-doc", words: "-M=, --module-path=, -i=, --inventory=, --inventory-file=, --vault-password-file=, --vault-id=, --vault-pass-file=, --connection-password-file=, --become-password-file=, --ssh-common-args=, --ssh-extra-args=, --sftp-extra-args=, --scp-extra-args=, --playbook-dir=, -c=, --connection=, --private-key=, --become-method=, -t=, --tree=", why: namesConfiguration },
  { programs: "ansible ansible-console ansible-pull", words: "-m=, --module-name=, -a=, --args=", except: /^(?:ping|ansible\.builtin\.ping|setup)$/, why: runsProgram },
  { programs: "ansible-inventory ansible-config", words: "--list, --host=, --export, -y, dump, view, list", why: printsSecrets },
  { programs: "ansible-vault", words: "view, decrypt, edit, rekey, encrypt, create", why: printsSecrets },
  // Clouds.
  { programs: "aws", words: "configure, sts get-session-token, sts assume-role, sts assume-role-with-saml, sts assume-role-with-web-identity, sts get-federation-token, sts assume-root, ecr get-login, ecr get-login-password, ecr get-authorization-token, ecr-public get-login-password, ecr-public get-authorization-token, codeartifact get-authorization-token, codeartifact login, secretsmanager get-secret-value, secretsmanager batch-get-secret-value, ssm get-parameter, ssm get-parameters, ssm get-parameters-by-path, ssm get-parameter-history, iam create-access-key, iam create-login-profile, iam create-service-specific-credential, iam reset-service-specific-credential, kms decrypt, kms generate-data-key, kms generate-data-key-pair, kms re-encrypt, sso get-role-credentials, sso login, sso-oidc create-token, eks get-token, eks update-kubeconfig, rds generate-db-auth-token, dsql generate-db-connect-admin-auth-token, redshift get-cluster-credentials, redshift-serverless get-credentials, ec2 get-password-data, ec2 create-key-pair, ec2 get-console-output, lightsail get-instance-access-details, lightsail download-default-key-pair, lambda get-function-configuration, lambda get-function, ecs describe-task-definition, cognito-identity get-credentials-for-identity, apigateway get-api-keys, appsync list-api-keys, history, --debug, login", why: printsSecrets },
  { programs: "aws", words: "ssm start-session, ssm send-command, ssm start-automation-execution, ecs execute-command, ecs run-task, ec2-instance-connect, emr ssh, emr put, emr get, emr socks, lambda invoke, cloudformation package, cloudformation deploy, cloudshell, gamelift upload-build, deploy push, s3 cp, s3 sync, s3 mv, s3api get-object, s3api put-object, s3 presign", why: () => t("runs a program elsewhere, or writes or sends a file") },
  { programs: "aws", words: "--endpoint-url=, --ca-bundle=, --no-verify-ssl, --cli-binary-format=", why: sendsCredentials },
  { programs: "gcloud", words: "auth print-access-token, auth print-identity-token, auth application-default, auth login, auth activate-service-account, auth configure-docker, config config-helper, config set, config unset, config configurations, secrets versions access, iam service-accounts keys, container clusters get-credentials, container fleet memberships get-credentials, sql generate-login-token, compute reset-windows-password, compute instances get-serial-port-output, functions describe, run services describe, redis instances get-auth-string, kms decrypt, kms asymmetric-decrypt, --log-http, info", why: printsSecrets },
  { programs: "gcloud", words: "compute ssh, compute scp, compute start-iap-tunnel, compute connect-to-serial-port, app instances ssh, cloud-shell, sql connect, workstations ssh, workstations start-tcp-tunnel, builds submit, components, dataproc jobs submit, run deploy, functions deploy, storage cp, storage rsync, storage mv, storage cat, emulators", why: () => t("runs a program elsewhere, or writes or sends a file") },
  { programs: "gcloud", words: "--flags-file=, --access-token-file=, --impersonate-service-account=, --configuration=, --credential-file-override=", why: namesConfiguration },
  { programs: "gsutil bq", words: "-o=, cp, mv, rsync, cat, config, signurl, --bigqueryrc=, --flagfile=, --credential_file=, --application_default_credential_file=, --api=, extract", why: sendsCredentials },
  { programs: "az", words: "account get-access-token, login, ad sp create-for-rbac, ad sp credential, ad app credential, keyvault secret show, keyvault secret download, keyvault secret backup, keyvault key download, keyvault certificate download, keyvault key decrypt, storage account keys, storage account show-connection-string, storage account generate-sas, storage container generate-sas, storage blob generate-sas, acr credential, acr login, acr token, aks get-credentials, webapp config appsettings, webapp config connection-string, webapp deployment list-publishing-credentials, webapp deployment list-publishing-profiles, functionapp keys, functionapp config appsettings, functionapp function keys, cosmosdb keys, cosmosdb list-connection-strings, redis list-keys, servicebus namespace authorization-rule keys, servicebus queue authorization-rule keys, eventhubs namespace authorization-rule keys, iot hub connection-string, search admin-key, cognitiveservices account keys, signalr key, maps account keys, batch account keys, sql db show-connection-string, appconfig credential, appconfig kv, containerapp secret, --debug", why: printsSecrets },
  { programs: "az", words: "rest, vm run-command, vm extension set, vmss run-command, aks command, aks install-cli, ssh, webapp ssh, webapp up, webapp deploy, container exec, containerapp exec, extension, config set, config unset, cloud register, cloud update, interactive, bicep install, bicep build, storage blob download, storage blob upload, storage copy, devops configure, upgrade", why: () => t("runs a program, or writes or sends a file") },
  { programs: "gh", words: "auth token, auth status -t, auth status --show-token, auth login, auth refresh, auth setup-git, auth git-credential, config get oauth_token", why: printsSecrets },
  { programs: "gh", words: "api, alias set, alias import, extension, extensions, ext, config set, codespace, cs, ssh-key add, gpg-key add, secret set, variable set, gist create, gist edit, repo clone, repo fork, repo create, repo deploy-key, repo edit, repo delete, browse, run download, release download, release upload, release create, pr checkout, agent-task, models, preview, skills, copilot", why: () => t("runs a program or any request with your account, or writes or sends files") },
  { programs: "gh", text: jqFunctions, of: "-q= --jq=", why: () => t("can show environment variables") },
  { programs: "glab hub", words: "auth, api, alias, config, token, ssh-key, variable, ci run-trig, duo, mcp", why: () => t("shows secrets, or runs any request with your account") },
  { programs: "glab", words: "-t, --show-token", why: printsSecrets },
  { programs: "doctl", words: "auth, --config=, -c=, --access-token=, --api-url=, -u=, --trace, compute ssh, registry login, registry docker-config, kubernetes cluster kubeconfig, k8s cluster kubeconfig, databases connection, databases user, serverless, apps console, sandbox", why: printsSecrets },
  { programs: "heroku", words: "config, config:get, auth:token, authorizations:create, pg:credentials:url, pg:psql, run, run:detached, ps:exec, ps:copy, local, plugins:install, redis:credentials, logs:drains, ssh", why: () => t("shows secrets, or runs a program") },
  { programs: "fly flyctl", words: "auth token, auth docker, tokens, ssh, console, secrets, proxy, machine exec, machines exec, machine run, config show, --config=, -c=, --access-token=, -t=, mcp, sftp", why: () => t("shows secrets, or runs a program") },
  { programs: "vercel netlify wrangler railway firebase supabase render", words: "env, env:get, env:list, env:import, dev, dev:exec, login, login:ci, link, pull, tail, secret, kv, run, shell, variables, connect, functions:config:get, functions:config:export, functions:shell, ssh, --token=, -t=, --local-config=, -A=, --config=, -c=, status, whoami, build, deploy, db, gen, start, auth:export", except: /^(?:--help|--version)$/, why: () => t("shows secrets, or runs code") },
  { programs: "vault bao", words: "read, kv get, print, token, login, agent, ssh, operator, unwrap, write, proxy, lease, transit, -address=, -ca-path=, -tls-skip-verify, -output-curl-string", why: printsSecrets },
  { programs: "stripe sentry-cli ngrok cloudflared", words: "login, config, fixtures, listen, trigger, api, --config=, --api-key=, --auth-token=, --url=, tunnel, http, tcp, start, access, service, --log-file=", why: sendsCredentials },
  { programs: "serverless sls sam cdk", words: "print, invoke, deploy, dev, plugin, -c=, --config=, --config-file=, -a=, --app=, --hook-name=, local, sync, remote, --config-env=, -o=, --output=, --output-dir=, -p=, --plugin=", why: () => t("shows secrets, or runs code") },
];

export const cloudGrammar: readonly HazardGrammar[] = [
  {
    programs: "kubectl oc helm",
    values:
      "-n= --namespace= --context= --cluster= --user= -o= --output= -l= --selector= --field-selector= -c= --container= --tail= --since= -f= --filename= --as= --as-group= --request-timeout= -v= --sort-by= --kube-context= --timeout= --version= -p= --patch=",
  },
  {
    programs: "docker podman nerdctl docker-compose podman-compose",
    values:
      "-l= --log-level= -p= --project-name= --profile= --format= --filter= --tail= -n= --since= --until= -t= --tag= --platform= --target= --build-arg= --progress= --ansi=",
  },
  {
    programs: "terraform tofu terragrunt vault bao",
    values: "-var= -var-file= -target= -out= -lock= -parallelism= -namespace= -mount= -field= -format=",
    singleDash: true,
  },
  {
    programs: "aws",
    values:
      "--region= --profile= --output= --query= --cli-connect-timeout= --cli-read-timeout= --color= --max-items= --page-size=",
    abbreviates: true,
  },
  {
    programs: "gcloud",
    values: "--project= --account= --format= --region= --zone= --verbosity= --filter= --limit=",
    skipped: "alpha beta preview",
    abbreviates: true,
  },
  {
    programs: "az",
    values: "--subscription= -o= --output= --query= -g= --resource-group= -n= --name=",
    abbreviates: true,
  },
  {
    programs: "gh glab hub",
    values:
      "-R= --repo= --json= -L= --limit= --jq= -q= --template= --search= -S= --state= -s= --label= -l= --author= -A= --assignee= -a= --head= -H= --base= -B= --hostname=",
  },
  {
    programs:
      "ansible ansible-playbook ansible-pull ansible-console ansible-inventory ansible-galaxy ansible-doc ansible-vault",
    values: "-l= --limit= -u= --user= --tags= --skip-tags= -f= --forks= -e= --extra-vars=",
    abbreviates: true,
  },
  { programs: "pulumi", values: "-s= --stack= --color=" },
  { programs: "heroku fly flyctl", values: "-a= --app= -r= --remote= -n= --num=" },
];
