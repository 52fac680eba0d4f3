// Places that the file tools leave alone. Compared without case and without what disks ignore; `*` is one name.

const lines = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Directories of the system, from the root. */
export const SYSTEM_ROOTS = lines(`
  /bin /boot /dev /efi /etc /lib /lib32 /lib64 /libexec /libx32 /nix /opt /proc /root /run /sbin /snap /sys /usr
  /var/adm /var/backups /var/cache /var/db /var/empty /var/lib /var/lock /var/log /var/mail /var/opt /var/root
  /var/run /var/spool
  /System /Library /Applications /private/etc /private/var/db /private/var/root /private/var/run /private/var/log
`);

/** Directories of a Windows system, from the root of any drive. Spaces are written `_`. */
export const WINDOWS_ROOTS = lines(`
  /Windows /Program_Files /Program_Files_(x86) /ProgramData /Boot /Recovery /System_Volume_Information /$Recycle.Bin
`).map((root) => root.replaceAll("_", " "));

/** What a home holds of secrets: keys, tokens, passwords. */
export const HOME_SECRETS = lines(`
  .ssh .gnupg .aws .azure .kube .docker .oci .config/gh .config/hub .config/gcloud .config/doctl .config/op
  .netrc _netrc .pgpass .my.cnf .npmrc .yarnrc .yarnrc.yml .pypirc .git-credentials .config/git/credentials
  .vault-token .password-store .local/share/keyrings .local/share/kwalletd .cargo/credentials .cargo/credentials.toml
  .gem/credentials .composer/auth.json .m2/settings.xml .m2/settings-security.xml .terraformrc .terraform.d
  .mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware
  Library/Keychains Library/Cookies AppData/Roaming/Microsoft/Credentials AppData/Local/Microsoft/Credentials
`);

/** What runs when a shell, a session, an editor or a tool starts. */
export const HOME_STARTUP = lines(`
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .login .logout
  .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .shrc .envrc .direnvrc .config/direnv
  .config/fish .config/powershell .inputrc .pam_environment .environment .config/environment.d
  .xinitrc .xprofile .xsession .xsessionrc .xserverrc .config/autostart .config/systemd .config/plasma-workspace
  .local/share/systemd .local/share/applications .local/share/dbus-1 .local/bin bin .cargo/bin .cargo/env
  .cargo/config .cargo/config.toml go/bin .bun/bin .deno/bin .npm-global/bin
  .gitconfig .config/git .hgrc .config/hg .bunfig.toml .condarc .config/pip .pip .gemrc .bundle
  .gradle/init.gradle .gradle/init.gradle.kts .gradle/init.d .gradle/gradle.properties .config/containers
  .tmux.conf .config/tmux .screenrc .vimrc .gvimrc .exrc .vim .nvimrc .config/nvim .emacs .emacs.d .config/emacs
  .spacemacs .doom.d .config/doom .nanorc .lessfilter .pythonrc .pythonrc.py .pythonstartup .ipython .irbrc .pryrc
  .Rprofile .ghci .gdbinit .config/gdb .lldbinit .psqlrc .sqliterc .curlrc .wgetrc .mailcap .forward .procmailrc
  .selected_editor .config/Code/User .vscode .cursor .claude .claude.json .codex .gemini .agents
  Library/LaunchAgents Library/LaunchDaemons Library/StartupItems Library/Preferences
  Documents/PowerShell Documents/WindowsPowerShell AppData/Roaming/Microsoft/Windows/Start_Menu/Programs/Startup
`).map((place) => place.replaceAll("_Menu", " Menu"));

/** buddy's own configuration and logins. */
export const HOME_OWN = lines(`
  .config/buddy .config/agent .local/state/buddy .local/share/buddy .cache/buddy AppData/Roaming/buddy AppData/Local/buddy
`);

/** In any directory: what runs or steers something when the directory is used. */
export const PROJECT_STARTUP = lines(`
  buddy.toml agent.toml .buddyx .agentx .mcp.json .cursor/mcp.json .buddy .envrc .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs bunfig.toml
  .bunfig.toml .cargo/config .cargo/config.toml .husky .vscode/tasks.json .vscode/launch.json .vscode/settings.json
  .vscode/mcp.json .idea/workspace.xml .idea/runConfigurations .claude/settings.json .claude/settings.local.json
  .claude/hooks .exrc .nvimrc .vimrc .lvimrc .gdbinit .lldbinit .Rprofile .pythonrc .dir-locals.el
  .devcontainer .devcontainer.json
`);

/** Where users of a machine have their homes. */
export const HOMES = lines("/home/* /Users/* /root /var/root /private/var/root /export/home/*");
