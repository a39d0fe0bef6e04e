// The options of well-known programs: which are harmless, and which write or run something. Data only. An option that
// ends in `=` takes a value. Long options can be abbreviated; the reader of this table takes care of that.

export interface ProgramOptions {
  /** Options that only read and show. `any`: all that are not harmful. */
  readonly harmless: string;
  /** Options that write a file, run something, or send a file or credentials. */
  readonly harmful?: string;
  /** Options that are neither, such as another working folder. `*` doesn't stand for them. */
  readonly doubtful?: string;
  /** Options have one dash and a long name, as in `go test -run x`. */
  readonly singleDash?: true;
  /** The options end at the first operand. What follows is for the script, such as `node a.js --import x`. */
  readonly endsAtOperand?: true;
  /** The program's own options for its subcommands. `*`: all others. */
  readonly subcommands?: Readonly<Record<string, ProgramOptions>>;
}

const gitHarmful =
  "--output= --output-directory= --ext-diff --open-files-in-pager --upload-pack= --receive-pack= --exec= --template= " +
  "--extcmd= --tool= --separate-git-dir= --config= --smtp-server= --sendmail-cmd= --to-cmd= --cc-cmd= --header-cmd= " +
  "--git-dir= --work-tree= --export-marks= --gpg-sign-program= --upload-archive=";

const gitReading: ProgramOptions = {
  harmless:
    "-p -u -s -c -m -g -i -E -F -P -t -r -a -b -w -z -q -v -h -l= -n= -L= -U= -S= -G= -M= -C= -B= -D -R -W -1 --patch " +
    "--no-patch --raw --stat= --numstat --shortstat --dirstat --summary --name-only --name-status --patch-with-stat " +
    "--oneline --graph --all --branches --tags --remotes --decorate --no-decorate --decorate-refs= --source " +
    "--abbrev --no-abbrev --abbrev-commit --no-abbrev-commit --pretty= --format= --date= --relative-date --since= " +
    "--after= --until= --before= --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case " +
    "--fixed-strings --extended-regexp --perl-regexp --max-count= --skip= --merges --no-merges --first-parent " +
    "--not --reverse --follow --full-diff --full-history --simplify-merges --ancestry-path --topo-order --date-order " +
    "--author-date-order --walk-reflogs --merge --boundary --left-right --left-only --right-only --cherry --cherry-pick " +
    "--cherry-mark --no-walk --parents --children --color= --no-color --color-words= --color-moved= --word-diff= " +
    "--word-diff-regex= --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-space-at-eol " +
    "--ignore-cr-at-eol --minimal --patience --histogram --diff-algorithm= --unified= --inter-hunk-context= " +
    "--function-context --find-renames= --find-copies= --no-renames --diff-filter= --pickaxe-all --pickaxe-regex " +
    "--cached --staged --merge-base --check --exit-code --quiet --text --binary --full-index --relative --no-relative " +
    "--no-ext-diff --no-textconv --submodule= --ignore-submodules= --src-prefix= --dst-prefix= --no-prefix --cc " +
    "--combined-all-paths --show-signature --notes --no-notes --no-index --line-prefix= --shortlog --numbered --email " +
    "--short --branch --porcelain= --long --verbose --untracked-files= --ignored= --show-stash --ahead-behind " +
    "--no-ahead-behind --column= --no-column --others --modified --deleted --unmerged --exclude-standard --error-unmatch " +
    "--full-name --full-tree --recursive --show-toplevel --show-prefix --is-inside-work-tree --verify --symbolic-full-name " +
    "--count --heads --refs --sort= --contains= --points-at= --merged --no-merged --always --dirty= --match= " +
    "--line-number --files-with-matches --ignore-case --word-regexp --show-function --help --textconv --paginate",
  harmful: gitHarmful,
};

const gitPrefixes: ProgramOptions = { harmless: "-q -v --quiet --verbose --dry-run --help", harmful: gitHarmful };
const withHarmful = (more: string): ProgramOptions => ({
  ...gitPrefixes,
  harmful: `${gitHarmful} ${more}`,
});

const git: ProgramOptions = {
  harmless:
    "--no-pager -P --version -v --help -h --no-optional-locks --literal-pathspecs --no-replace-objects --html-path",
  harmful: "-c= --config-env= --exec-path= --git-dir= --work-tree=",
  doubtful: "-C= --namespace= --super-prefix= --attr-source= --list-cmds=",
  subcommands: {
    ...Object.fromEntries(
      (
        "log diff show shortlog blame annotate whatchanged reflog rev-list diff-tree diff-index diff-files range-diff " +
        "show-branch cherry ls-files ls-tree status describe rev-parse merge-base name-rev for-each-ref show-ref " +
        "count-objects cat-file"
      )
        .split(" ")
        .map(name => [name, gitReading] as const),
    ),
    branch: {
      harmless:
        "-a -r -v -l -q --all --remotes --list --verbose --show-current --contains= --no-contains= --merged= " +
        "--no-merged= --points-at= --sort= --format= --column= --no-column --color= --no-color --help",
      harmful: gitHarmful,
    },
    config: withHarmful(
      "--unset --unset-all --add --replace-all --rename-section --remove-section --edit -e --file= -f=",
    ),
    grep: {
      harmless:
        "-a -I -i -w -v -h -H -E -G -F -P -n -l -L -c -z -o -p -q -W -r -e= -m= -A= -B= -C= --cached --untracked --text " +
        "--ignore-case --word-regexp --invert-match --extended-regexp --fixed-strings --perl-regexp --line-number " +
        "--files-with-matches --count --color= --no-color --break --heading --show-function --function-context " +
        "--max-depth= --and --or --not --all-match --quiet --recursive --help",
      harmful: `${gitHarmful} -O`,
    },
    "format-patch": withHarmful("-o="),
    archive: withHarmful("-o="),
    rebase: withHarmful("-x="),
    difftool: withHarmful("-x= -t="),
    mergetool: withHarmful("-t="),
    clone: withHarmful("-c= -u="),
    "*": gitPrefixes,
  },
};

const npmHarmful =
  "--script-shell= --node-options= --userconfig= --globalconfig= --shell= --init-module= --git= --viewer= --browser= " +
  "--editor= -c= --call= --registry= --cache= --onload-script=";
const npm: ProgramOptions = {
  harmless:
    "-s -d -v -h -l --silent --quiet --verbose --loglevel= --version --help --json --long --parseable --depth= --if-present " +
    "--ignore-scripts --no-audit --no-fund --no-progress --offline --prefer-offline --dry-run --workspaces --ws -w= " +
    "--workspace= --include-workspace-root --omit= --no-color --recursive -r --filter= --stream --parallel",
  harmful: npmHarmful,
  doubtful: "-C= --prefix= --dir= --cwd=",
};

const python: ProgramOptions = {
  harmless: "-V -h -B -E -I -O -q -s -S -u -v -W= -X= --version --help",
  harmful: "-c=",
  endsAtOperand: true,
};

const awk: ProgramOptions = {
  harmless: "-F= -v= --field-separator= --assign= --version --posix --traditional --re-interval --help",
  harmful:
    "-f= --file= -i= --include= -e= --source= -E= --exec= -l= --load= -o --pretty-print -d --dump-variables -p --profile " +
    "-D --debug -W=",
};

const anyHarmless: ProgramOptions = { harmless: "any" };

/** Programs that write and run nothing with any of their options. */
const readingPrograms =
  "ls vdir dir cat head tail wc echo pwd cut tr basename dirname nl rev tac comm paste fold expand unexpand fmt column du " +
  "df stat id whoami uname which printenv cmp diff md5sum sha1sum sha256sum sha512sum cksum seq true false sleep test [ " +
  "realpath readlink ps grep egrep fgrep od hexdump strings printf jq uptime free nproc arch groups " +
  "get-childitem gci get-content gc select-string sls select-object measure-object sort-object get-location test-path " +
  "get-item";

export const programOptions: Readonly<Record<string, ProgramOptions>> = {
  ...Object.fromEntries(readingPrograms.split(" ").map(name => [name, anyHarmless] as const)),
  git,
  npm,
  npx: { ...npm, harmful: `${npmHarmful} -p= --package=` },
  pnpm: { ...npm, harmful: `${npmHarmful} --shell-mode --config-dir= --global-dir= --store-dir=` },
  yarn: { ...npm, harmful: `${npmHarmful} --use-yarnrc= --cache-folder= --modules-folder=` },
  find: {
    harmless: "any",
    harmful: "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from",
    singleDash: true,
  },
  rg: {
    harmless:
      "-i -n -N -l -c -w -x -v -s -S -F -P -o -q -u -U -a -H -I -p -L -0 -h -V -b -A= -B= -C= -e= -f= -g= -t= -T= -m= -M= -E= " +
      "-j= -r= -d= --files --hidden --no-ignore --no-ignore-vcs --type= --type-not= --type-list --glob= --iglob= " +
      "--ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --line-regexp --invert-match --count " +
      "--count-matches --files-with-matches --files-without-match --line-number --no-line-number --column --heading " +
      "--no-heading --with-filename --no-filename --only-matching --replace= --max-count= --max-depth= --max-columns= " +
      "--max-filesize= --multiline --multiline-dotall --pcre2 --json --vimgrep --pretty --color= --colors= --sort= --sortr= " +
      "--stats --trim --null --text --encoding= --threads= --context= --after-context= --before-context= --regexp= --file= " +
      "--unrestricted --follow --quiet --no-messages --no-config --passthru --help --version --debug --trace --crlf",
    harmful: "--pre= --hostname-bin=",
  },
  fd: {
    harmless: "-H -I -i -s -a -l -p -L -0 -t= -e= -d= -E= --hidden --type= --extension= --help",
    harmful: "-x= --exec= -X= --exec-batch=",
  },
  sed: {
    harmless:
      "-n -E -r -s -u -z -e= --expression= --quiet --silent --regexp-extended --null-data --separate --unbuffered " +
      "--posix --debug --sandbox --line-length= --help --version",
    harmful: "-i -I --in-place -f= --file=",
  },
  awk,
  sort: {
    harmless:
      "-b -d -f -g -i -M -h -n -R -r -V -u -c -C -m -s -z -k= -t= -S= --key= --field-separator= --reverse --unique " +
      "--numeric-sort --general-numeric-sort --human-numeric-sort --version-sort --month-sort --random-sort --ignore-case " +
      "--ignore-leading-blanks --dictionary-order --stable --check= --merge --zero-terminated --parallel= --buffer-size= " +
      "--debug --help --version",
    harmful: "-o= --output= --compress-program= --files0-from=",
  },
  uniq: {
    harmless:
      "-c -d -D -i -u -z -f= -s= -w= --count --repeated --unique --ignore-case --skip-fields= --skip-chars= --help",
  },
  xxd: { harmless: "-a -b -C -d -e -E -i -p -r -u -c= -g= -l= -n= -o= -s= -h -v" },
  shuf: { harmless: "-e -r -z -n= -i= --head-count= --input-range= --repeat", harmful: "-o= --output=" },
  iconv: { harmless: "-c -l -s -f= -t= --from-code= --to-code= --list", harmful: "-o= --output=" },
  tree: { harmless: "any", harmful: "-o=" },
  date: { harmless: "any", harmful: "-s= --set=" },
  file: { harmless: "any", harmful: "-C --compile -m= --magic-file=" },
  yq: { harmless: "-r -e -o= -p= -P -M -C --output-format= --input-format=", harmful: "-i --inplace -s= --split-exp=" },
  tar: {
    harmless:
      "-t -v -f= -z -j -J -a -p --list --verbose --file= --gzip --bzip2 --xz --zstd --auto-compress --exclude= --wildcards " +
      "--strip-components= --totals --full-time --numeric-owner --force-local --help --version",
    harmful:
      "-x --extract --get -c --create -r --append -u --update -A --catenate --concatenate --delete -I= " +
      "--use-compress-program= --to-command= --checkpoint-action= -F= --info-script= --new-volume-script= --rsh-command= " +
      "--rmt-command= --index-file= -g= --listed-incremental= --remove-files -P --absolute-names --volno-file= -C= --directory=",
  },
  curl: {
    harmless:
      "-s -S -L -f -i -I -v -H= -A= -e= -m= -4 -6 -G -N -g -0 -r= -V -h --silent --show-error --location --fail " +
      "--fail-with-body --include --head --verbose --header= --user-agent= --referer= --max-time= --connect-timeout= --retry= " +
      "--retry-delay= --retry-all-errors --compressed --get --no-buffer --globoff --http1.1 --http2 --ipv4 --ipv6 " +
      "--no-progress-meter --progress-bar --range= --max-redirs= --version --help",
    harmful:
      "-o= --output= -O --remote-name --remote-name-all -J --remote-header-name --output-dir= -D= --dump-header= -c= " +
      "--cookie-jar= -K= --config= -T= --upload-file= --trace= --trace-ascii= --stderr= --libcurl= --hsts= --alt-svc= " +
      "--etag-save= --engine= --unix-socket= --abstract-unix-socket= --ssl-sessions= -n --netrc --netrc-file= " +
      "--netrc-optional -Q= --quote= --create-dirs --xattr",
  },
  wget: {
    harmless: "-q -v -S --quiet --spider --server-response --timeout= -T= -t= --tries= --help --version",
    harmful:
      "-O= --output-document= -o= --output-file= -a= --append-output= -P= --directory-prefix= -e= --execute= --config= " +
      "--use-askpass= --post-file= --body-file= --save-cookies= --warc-file= --hsts-file= --rejected-log=",
  },
  node: {
    harmless:
      "-v -h -c --version --help --check --test --test-only --test-name-pattern= --test-skip-pattern= --test-concurrency= " +
      "--test-timeout= --enable-source-maps --no-warnings --trace-warnings --trace-uncaught --trace-deprecation " +
      "--no-deprecation --throw-deprecation --stack-trace-limit= --max-old-space-size= --unhandled-rejections= " +
      "--experimental-strip-types --no-experimental-strip-types --experimental-test-coverage --preserve-symlinks " +
      "--v8-options --watch",
    harmful:
      "-e= --eval= -p= --print= -r= --require= --import= --loader= --experimental-loader= --env-file= " +
      "--env-file-if-exists= --test-reporter= --test-reporter-destination= --test-global-setup= --redirect-warnings= " +
      "--cpu-prof --cpu-prof-dir= --cpu-prof-name= --heap-prof --heap-prof-dir= --heap-prof-name= --diagnostic-dir= " +
      "--report-dir= --report-directory= --report-filename= --report-on-fatalerror --report-on-signal " +
      "--trace-event-file-pattern= --trace-event-categories= --trace-events-enabled --icu-data-dir= --openssl-config= " +
      "--build-snapshot --build-snapshot-config= --snapshot-blob= --experimental-sea-config= --build-sea= --inspect= " +
      "--inspect-brk= --inspect-wait= --inspect-port= --debug-port= --run= --experimental-config-file= " +
      "--experimental-default-config-file --experimental-default-type= --input-type= -C= --conditions= --prof --perf-prof " +
      "--perf-basic-prof --logfile= --localstorage-file= --heapsnapshot-signal= --heapsnapshot-near-heap-limit= -i " +
      "--interactive --watch-path= --tls-keylog= --use-openssl-ca --secure-heap= --redirect-code-traces-to=",
    endsAtOperand: true,
  },
  python,
  perl: { harmless: "-c -v -V -w -W -h", harmful: "-e= -E= -i -M= -m= -I= -d -x", endsAtOperand: true },
  ruby: { harmless: "-c -v -w -h --version --help", harmful: "-e= -r= -i -I= -C= -x", endsAtOperand: true },
  php: {
    harmless: "-l -v -i -m -h --version --help",
    harmful: "-r= -B= -R= -F= -E= -d= -z= -S= -c=",
    endsAtOperand: true,
  },
  bun: {
    harmless: "-v -h --version --help",
    harmful: "-e= --eval= -p= --print= -r= --preload= --import= --require= --config=",
    doubtful: "--cwd=",
  },
  make: {
    harmless:
      "-j= -k -s -n -B -i -q -w -r -R -l= -O= -d -p -h -v --jobs= --keep-going --silent --quiet --dry-run --just-print " +
      "--always-make --print-directory --no-print-directory --question --output-sync= --trace --debug= --print-data-base " +
      "--version --help",
    harmful: "-f= --file= --makefile= --eval= -E= -I= --include-dir= -e --environment-overrides",
    doubtful: "-C= --directory=",
  },
  go: {
    harmless:
      "-v -run= -count= -race -short -timeout= -bench= -benchtime= -benchmem -json -cover -failfast -p= -tags= -cpu= -list= " +
      "-parallel= -skip= -shuffle= -x -n -a -m -f=",
    harmful:
      "-exec= -toolexec= -o= -c -overlay= -modfile= -vettool= -pkgdir= -coverprofile= -cpuprofile= -memprofile= " +
      "-blockprofile= -mutexprofile= -trace= -outputdir= -ldflags= -gcflags= -asmflags= -gccgoflags= -compiler= -w",
    doubtful: "-C=",
    singleDash: true,
  },
  cargo: {
    harmless:
      "-q -v -j= -p= --quiet --verbose --release --workspace --all --lib --bins --tests --all-targets --all-features --features= --package= --locked --offline --frozen --no-run --no-fail-fast --message-format= --help --version",
    harmful: "--config= --target-dir= --out-dir= --artifact-dir= --manifest-path= -Z= --lockfile-path=",
    doubtful: "-C=",
  },
  rsync: {
    harmless: "-v -n --dry-run --verbose --stats --help --version",
    harmful: "-e= --rsh= --rsync-path= --log-file= --write-batch= --only-write-batch= -M= --remote-option=",
  },
};
