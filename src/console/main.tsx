// Starts the console in the page that the server sends.
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.js';
import { applyTheme, theme } from './kit/theme.js';
import './styles/main.css';

applyTheme(theme());
const root = document.getElementById('console');
if (root !== null) createRoot(root).render(<App />);
