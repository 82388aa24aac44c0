type Properties = Readonly<Record<string, string | number | boolean>>;

/** No macro runs, and nothing that a document links to is loaded. Numbers as in LibreOffice's schemas: 0 is never for Writer, 1 for Calc. */
const SETTINGS: Readonly<Record<string, Properties>> = {
  'org.openoffice.Office.Common/Security/Scripting': {
    MacroSecurityLevel: 3,
    DisableMacrosExecution: true,
    DisablePythonRuntime: true,
    DisableActiveContent: true,
    BlockUntrustedRefererLinks: true,
  },
  'org.openoffice.Office.Writer/Content/Update': { Link: 0, Field: false, Chart: false },
  'org.openoffice.Office.Calc/Content/Update': { Link: 1 },
  // A proxy at a port that nothing listens on: it stands in the way of what the settings above might miss.
  'org.openoffice.Inet/Settings': {
    ooInetProxyType: 2,
    ooInetHTTPProxyName: '127.0.0.1',
    ooInetHTTPProxyPort: 9,
    ooInetHTTPSProxyName: '127.0.0.1',
    ooInetHTTPSProxyPort: 9,
  },
};

const items = Object.entries(SETTINGS).flatMap(([path, properties]) =>
  Object.entries(properties).map(
    ([name, value]) =>
      `<item oor:path="/${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  ),
);

/** `user/registrymodifications.xcu` of a new profile. */
export const sofficeProfile = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${items.join('\n')}
</oor:items>
`;
